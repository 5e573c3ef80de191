#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "http/router.h"

namespace search_server {

/// With the numbers that spdlog gives them.
enum class LogLevel { kDebug = 1, kInfo = 2, kWarning = 3, kError = 4 };

/// Where the log goes: a file, to which it is appended, or stderr if `file` is empty. `least`: the
/// level from which on lines are written: debug, info, warning, error or off. Called once, before
/// threads start; until then nothing is written.
/// @throws std::exception if the file cannot be opened.
void open_log(const std::string& file, const std::string& least);

/// Writes one line: a JSON object of time, level, event and the members of `fields`. Bytes that are
/// no UTF-8 are replaced. Safe from many threads.
void log_event(LogLevel level, std::string_view event, const nlohmann::ordered_json& fields);

/// False if lines of that level are not written, so their fields need not be made.
bool logs(LogLevel level);

/// Counts a request that has ended, for GET /metrics. `route` is null for one that met none.
/// `plugin_seconds` are counted if they are not zero. Safe from many threads.
void count_request(const Route* route, int status, double seconds, double plugin_seconds);

/// A number that goes up and down.
struct Gauge {
  std::string name;  ///< behind "kindred_server_"
  std::string help;
  double value = 0;
  std::map<std::string, std::string> labels{};
};

/// GET /metrics: what was counted since the process began, in the text format of Prometheus, by
/// the patterns of routes, so the number of series does not depend on what is asked; and what
/// `gauges` gives, which does not throw; empty: none.
void add_metrics_route(Router& router, std::function<std::vector<Gauge>()> gauges = {});

}  // namespace search_server
