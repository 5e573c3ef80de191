#include "api/routes/routes.h"

namespace search_server {

void add_routes(Router& router, App& app, Jobs& jobs) {
  add_search_routes(router, app);
  add_document_routes(router, app);
  add_ingest_routes(router, app);
  add_related_routes(router, app);
  add_tag_routes(router, app);
  add_label_routes(router, app);
  add_topic_routes(router, app);
  add_status_routes(router, app);
  add_job_starts(router, app, jobs);
}

}  // namespace search_server
