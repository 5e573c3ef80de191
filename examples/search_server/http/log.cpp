#include "http/log.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace search_server {
namespace {

std::shared_ptr<spdlog::logger> opened;

const prometheus::Histogram::BucketBoundaries kBounds = {
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10};

/// Lives as long as the process, whose last requests may end late. It gives a family that it has by
/// its name.
prometheus::Registry& registry() {
  static auto* const all = new prometheus::Registry;
  return *all;
}

void count_time(const std::string& what, const std::string& help, const prometheus::Labels& labels,
                double seconds) {
  const std::string name = "kindred_server_" + what + "_seconds";
  auto& family = prometheus::BuildHistogram().Name(name).Help(help).Register(registry());
  if (seconds > 0) family.Add(labels, kBounds).Observe(seconds);
}

}  // namespace

void open_log(const std::string& file, const std::string& least) {
  constexpr const char* kName = "kindred-server";
  opened = file.empty() ? spdlog::stderr_logger_mt(kName) : spdlog::basic_logger_mt(kName, file);
  opened->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v)",
                      spdlog::pattern_time_type::utc);
  opened->set_level(spdlog::level::from_str(least));
  opened->flush_on(spdlog::level::debug);
}

void log_event(LogLevel level, std::string_view event, const nlohmann::ordered_json& fields) {
  if (!logs(level)) return;
  nlohmann::ordered_json line = {{"event", event}};
  line.update(fields);
  // The pattern opens the object with the time and the level; this is the rest of it.
  const auto rest = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).substr(1);
  opened->log(spdlog::level::level_enum(level), spdlog::string_view_t(rest));
}

bool logs(LogLevel level) {
  return opened != nullptr && opened->should_log(spdlog::level::level_enum(level));
}

void count_request(const Route* route, int status, double seconds, double plugin_seconds) {
  prometheus::Labels labels = {{"route", route == nullptr ? "none" : route->pattern},
                               {"method", route == nullptr ? "none" : route->method}};
  count_time("request", "Time from the head of a request to the end of its answer.", labels,
             seconds);
  count_time("plugin", "Time of a request in calls of the plugin.", labels, plugin_seconds);
  labels.emplace("status", std::to_string(status));
  auto& requests = prometheus::BuildCounter()
                       .Name("kindred_server_requests_total")
                       .Help("Requests that have ended, by route and status.")
                       .Register(registry());
  requests.Add(labels).Increment();
}

void add_metrics_route(Router& router, std::function<std::vector<Gauge>()> gauges) {
  router.add("GET", "/metrics", [gauges = std::move(gauges)](const Request&) {
    prometheus::Registry now;
    for (const Gauge& gauge : gauges ? gauges() : std::vector<Gauge>())
      prometheus::BuildGauge()
          .Name("kindred_server_" + gauge.name)
          .Help(gauge.help)
          .Register(now)
          .Add(gauge.labels)
          .Set(gauge.value);

    std::vector<prometheus::MetricFamily> families = registry().Collect();
    std::ranges::move(now.Collect(), std::back_inserter(families));
    return Response{200, "text/plain; version=0.0.4; charset=utf-8",
                    prometheus::TextSerializer().Serialize(families)};
  });
}

}  // namespace search_server
