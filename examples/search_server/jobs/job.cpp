#include "jobs/job.h"

#include <cstdio>
#include <ctime>

namespace search_server {
namespace {

const char* state_name(JobState state) {
  switch (state) {
    case JobState::kRunning:
      return "running";
    case JobState::kDone:
      return "done";
    case JobState::kFailed:
      return "failed";
    case JobState::kCanceled:
      return "canceled";
  }
  return "";
}

/// RFC 3339, in UTC, to the millisecond.
std::string date_time(Job::Clock::time_point time) {
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  const std::time_t seconds = ms / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
  char fraction[8];
  std::snprintf(fraction, sizeof fraction, ".%03dZ", static_cast<int>(ms % 1000));
  return std::string(date) + fraction;
}

}  // namespace

nlohmann::ordered_json job_json(const Job& job) {
  nlohmann::ordered_json json = {
      {"id", job.id},
      {"kind", job.kind},
      {"state", state_name(job.state)},
      {"progress", {{"doing", job.doing}, {"done", job.done}, {"of", job.of}}},
      {"started", date_time(job.started)},
      {"finished", nullptr},
      {"result", job.result},
      {"error", job.error}};
  if (job.finished) json["finished"] = date_time(*job.finished);
  return json;
}

}  // namespace search_server
