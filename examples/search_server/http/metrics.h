#pragma once

#include "http/router.h"

namespace search_server {

/// Counts a request that has ended, for GET /metrics. `route` is null for one that met none.
/// `timings` are counted if they are not zero. Safe from many threads.
void count_request(const Route* route, int status, double seconds, const Timings& timings);

/// GET /metrics: what was counted since the process began, in the text format of Prometheus, by
/// the patterns of routes, so the number of series does not depend on what is asked.
void add_metrics_route(Router& router);

}  // namespace search_server
