#include "http/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

namespace search_server {
namespace {

std::shared_ptr<spdlog::logger> opened;

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

}  // namespace search_server
