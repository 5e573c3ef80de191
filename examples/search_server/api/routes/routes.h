#pragma once

#include "api/app.h"
#include "http/router.h"

namespace search_server {

class Jobs;

/// The JSON routes, but for those of jobs that run and of metrics. `app` and `jobs` outlive the
/// router.
void add_routes(Router& router, App& app, Jobs& jobs);

// Their parts, each in a file of its own.
void add_search_routes(Router& router, App& app);
void add_document_routes(Router& router, App& app);
void add_ingest_routes(Router& router, App& app);
void add_related_routes(Router& router, App& app);
void add_tag_routes(Router& router, App& app);
void add_label_routes(Router& router, App& app);
void add_topic_routes(Router& router, App& app);
void add_status_routes(Router& router, App& app);
void add_job_starts(Router& router, App& app, Jobs& jobs);  ///< POST /jobs/{tune|train|tag}

}  // namespace search_server
