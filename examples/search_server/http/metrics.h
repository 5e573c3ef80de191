#pragma once

#include <memory>
#include <string>

#include "http/router.h"

namespace search_server {

/// What GET /metrics tells, in the text format of Prometheus. Requests are labelled by the pattern
/// of their route, so the number of series does not depend on what is asked. Thread-safe.
class Metrics {
 public:
  Metrics();
  ~Metrics();

  /// A request that has ended. `route` is null for one that met none. `timings` are counted if they
  /// are not zero.
  void count(const Route* route, int status, double seconds, const Timings& timings);

  /// The whole text.
  std::string text() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

/// GET /metrics. `metrics` outlives the router.
void add_metrics_route(Router& router, const Metrics& metrics);

}  // namespace search_server
