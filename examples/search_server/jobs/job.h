#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace search_server {

enum class JobState { kRunning, kDone, kFailed, kCanceled };

/// What is known of a job at one moment.
struct Job {
  using Clock = std::chrono::system_clock;

  std::string id;
  std::string kind;
  JobState state = JobState::kRunning;
  std::string doing;       ///< what it does now, for people
  std::uint64_t done = 0;  ///< steps of what it does now
  std::uint64_t of = 0;    ///< 0: not known
  Clock::time_point started;
  std::optional<Clock::time_point> finished;
  nlohmann::ordered_json result;  ///< an object if it is done, else null
  nlohmann::ordered_json error;   ///< a problem if it has failed, else null
  std::uint64_t version = 1;      ///< grows with every change
};

/// The members id, kind, state, progress, started, finished, result and error.
nlohmann::ordered_json job_json(const Job& job);

}  // namespace search_server
