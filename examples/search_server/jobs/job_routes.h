#pragma once

#include "http/router.h"
#include "jobs/jobs.h"

namespace search_server {

/// GET /jobs; GET /jobs/{id}, as JSON or, if the client accepts text/event-stream, as events
/// "progress" and at last "end", whose data is the job and whose id tells a client that comes back
/// (Last-Event-ID) what it has seen; DELETE /jobs/{id}. `jobs` outlives the router.
void add_job_routes(Router& router, Jobs& jobs);

/// 202 with the job and its Location.
Response job_started(const Job& job);

}  // namespace search_server
