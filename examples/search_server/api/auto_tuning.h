#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "api/app.h"
#include "jobs/jobs.h"

namespace search_server {

/// Starts a job "tune" whenever a tuning of the index is due by the labels that people gave: after
/// the start, and after documents came in, but some minutes apart. So answers use a tuning although
/// nobody asked for one, and requests do not wait for it.
class AutoTuning {
 public:
  /// Both outlive it. `pause`: at least, from the start of one tuning to that of the next.
  AutoTuning(App& app, Jobs& jobs, std::chrono::seconds pause = std::chrono::minutes(3));
  ~AutoTuning() { stop(); }
  AutoTuning(const AutoTuning&) = delete;
  AutoTuning& operator=(const AutoTuning&) = delete;

  /// Starts no job any more.
  void stop();

 private:
  void watch();
  void tune_if_due();

  App& app_;
  Jobs& jobs_;
  const std::chrono::seconds pause_;
  std::chrono::steady_clock::time_point next_{};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace search_server
