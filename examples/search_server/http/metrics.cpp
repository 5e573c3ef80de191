#include "http/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace search_server {
namespace {

using Histograms = prometheus::Family<prometheus::Histogram>;

Histograms& histograms(prometheus::Registry& registry, const std::string& name,
                       const std::string& help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

const prometheus::Histogram::BucketBoundaries& bounds() {
  static const prometheus::Histogram::BucketBoundaries kBounds = {
      0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10};
  return kBounds;
}

}  // namespace

struct Metrics::Families {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests =
      prometheus::BuildCounter()
          .Name("kindred_server_requests_total")
          .Help("Requests that have ended, by route and status.")
          .Register(registry);
  Histograms& http = histograms(registry, "kindred_server_request_seconds",
                                "Time from the head of a request to the end of its answer.");
  Histograms& xapian = histograms(registry, "kindred_server_xapian_seconds",
                                  "Time of a request in calls of Xapian.");
  Histograms& plugin = histograms(registry, "kindred_server_plugin_seconds",
                                  "Time of a request in calls of the plugin.");
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::count(const Route* route, int status, double seconds, const Timings& timings) {
  const std::string pattern = route == nullptr ? "none" : route->pattern;
  const std::string method = route == nullptr ? "none" : route->method;
  const prometheus::Labels labels = {{"route", pattern}, {"method", method}};
  prometheus::Labels with_status = labels;
  with_status.emplace("status", std::to_string(status));
  families_->requests.Add(with_status).Increment();
  families_->http.Add(labels, bounds()).Observe(seconds);
  if (timings.xapian > 0) families_->xapian.Add(labels, bounds()).Observe(timings.xapian);
  if (timings.plugin > 0) families_->plugin.Add(labels, bounds()).Observe(timings.plugin);
}

std::string Metrics::text() const {
  return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

void add_metrics_route(Router& router, const Metrics& metrics) {
  router.add("GET", "/metrics", [&metrics](const Request&) {
    return Response{200, "text/plain; version=0.0.4; charset=utf-8", metrics.text(), {}};
  });
}

}  // namespace search_server
