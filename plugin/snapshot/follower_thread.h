#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <string>

#include "config/log.h"
#include "config/settings.h"

namespace kindred {

/// A thread that calls a function twice in each mirror.max_staleness_ms, so that what the function
/// does has time, too. Errors of the function go to the log, the same one once in a row, and the
/// next call may succeed.
class FollowerThread {
 public:
  /// `look` must outlive this. If no thread can be started, the log is told, and nothing follows.
  FollowerThread(const MirrorSettings& settings, std::function<void()> look, Log log);
  /// Waits for a call that is running.
  ~FollowerThread();
  FollowerThread(const FollowerThread&) = delete;
  FollowerThread& operator=(const FollowerThread&) = delete;

 private:
  void run();
  void call();

  const std::chrono::milliseconds pause_;
  const std::function<void()> look_;
  const Log log_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;  ///< guarded by the mutex
  std::string last_failure_;
  std::future<void> thread_;  ///< last, for it uses the rest
};

}  // namespace kindred
