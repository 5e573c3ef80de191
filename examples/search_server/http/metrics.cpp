#include "http/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace search_server {
namespace {

using Histograms = prometheus::Family<prometheus::Histogram>;

const prometheus::Histogram::BucketBoundaries kBounds = {
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10};

struct Families {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests =
      prometheus::BuildCounter()
          .Name("kindred_server_requests_total")
          .Help("Requests that have ended, by route and status.")
          .Register(registry);
  Histograms& http =
      histograms("request", "Time from the head of a request to the end of its answer.");
  Histograms& xapian = histograms("xapian", "Time of a request in calls of Xapian.");
  Histograms& plugin = histograms("plugin", "Time of a request in calls of the plugin.");

  Histograms& histograms(const std::string& what, const std::string& help) {
    return prometheus::BuildHistogram()
        .Name("kindred_server_" + what + "_seconds")
        .Help(help)
        .Register(registry);
  }
};

/// Lives as long as the process, whose last requests may end late.
Families& families() {
  static auto* const all = new Families;
  return *all;
}

}  // namespace

void count_request(const Route* route, int status, double seconds, const Timings& timings) {
  const prometheus::Labels labels = {{"route", route == nullptr ? "none" : route->pattern},
                                     {"method", route == nullptr ? "none" : route->method}};
  prometheus::Labels with_status = labels;
  with_status.emplace("status", std::to_string(status));
  families().requests.Add(with_status).Increment();
  families().http.Add(labels, kBounds).Observe(seconds);
  if (timings.xapian > 0) families().xapian.Add(labels, kBounds).Observe(timings.xapian);
  if (timings.plugin > 0) families().plugin.Add(labels, kBounds).Observe(timings.plugin);
}

void add_metrics_route(Router& router) {
  router.add("GET", "/metrics", [](const Request&) {
    return Response{200, "text/plain; version=0.0.4; charset=utf-8",
                    prometheus::TextSerializer().Serialize(families().registry.Collect())};
  });
}

}  // namespace search_server
