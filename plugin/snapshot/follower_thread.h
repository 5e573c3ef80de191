#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "config/log.h"
#include "config/settings.h"
#include "plugin/snapshot/index_watch.h"

namespace kindred {

/// A thread that calls a function after each commit to a database, and at least as often as
/// mirror.max_staleness_ms says. Errors of the function go to the log, the same one once in a row,
/// and the next call may succeed.
class FollowerThread {
 public:
  /// `folders` are those of the shards. `look` must outlive this. If no thread can be started, the
  /// log is told, and nothing follows.
  FollowerThread(const std::vector<std::string>& folders, const MirrorSettings& settings,
                 std::function<void()> look, Log log);
  /// Waits for a call that is running.
  ~FollowerThread();
  FollowerThread(const FollowerThread&) = delete;
  FollowerThread& operator=(const FollowerThread&) = delete;

 private:
  void run();
  void call();

  const std::chrono::milliseconds staleness_;
  const std::function<void()> look_;
  const Log log_;
  IndexWatch watch_;
  std::atomic<bool> stopped_ = false;
  std::string last_failure_;
  std::future<void> thread_;
};

}  // namespace kindred
