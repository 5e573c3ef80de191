#pragma once

#include "api/app.h"
#include "http/router.h"

namespace search_server {

namespace jobs {
class Jobs;
}

/// All JSON routes but those of jobs that run and of metrics. The app must outlive the router.
void add_routes(Router& router, App& app);

/// POST /jobs/{tune|train|tag}.
void add_job_starts(Router& router, App& app, jobs::Jobs& jobs);

void add_search_routes(Router& router, App& app);
void add_document_routes(Router& router, App& app);
void add_ingest_routes(Router& router, App& app);
void add_related_routes(Router& router, App& app);
void add_tag_routes(Router& router, App& app);
void add_label_routes(Router& router, App& app);
void add_topic_routes(Router& router, App& app);
void add_status_routes(Router& router, App& app);

}  // namespace search_server
