#include "http/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>

namespace search_server {
namespace {

using Json = nlohmann::ordered_json;

spdlog::level::level_enum spdlog_level(LogLevel level) {
  return static_cast<spdlog::level::level_enum>(level);
}

std::shared_ptr<spdlog::logger>& opened() {
  static std::shared_ptr<spdlog::logger> logger;
  return logger;
}

}  // namespace

void open_log(const std::string& file, const std::string& least) {
  std::shared_ptr<spdlog::sinks::sink> sink;
  if (file.empty()) {
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  } else {
    sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
  }
  const auto logger = std::make_shared<spdlog::logger>("kindred-server", sink);
  logger->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v)",
                      spdlog::pattern_time_type::utc);
  logger->set_level(spdlog::level::from_str(least));
  logger->flush_on(spdlog::level::debug);
  opened() = logger;
}

void log_event(LogLevel level, std::string_view event, const Json& fields) {
  if (!logs(level)) return;
  Json line = {{"event", event}};
  line.update(fields);
  // The pattern opens the object with the time and the level; this is the rest of it.
  const std::string rest = line.dump(-1, ' ', false, Json::error_handler_t::replace).substr(1);
  opened()->log(spdlog_level(level), spdlog::string_view_t(rest));
}

bool logs(LogLevel level) {
  return opened() != nullptr && opened()->should_log(spdlog_level(level));
}

}  // namespace search_server
