#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "config/log.h"
#include "config/settings.h"

namespace kindred {

/// Waits for somebody to commit to a database. Where the system can tell that a file was put into
/// a folder (inotify), a commit ends the wait; else only time does. One thread waits; any thread
/// may stop it.
class IndexWatch {
 public:
  /// Watches the folders of the shards; none: time alone ends a wait. A folder that cannot be
  /// watched is left out.
  /// @throws Error kUnsupported if the system has no descriptor left to stop a wait with.
  explicit IndexWatch(const std::vector<std::string>& folders);
  ~IndexWatch();
  IndexWatch(const IndexWatch&) = delete;
  IndexWatch& operator=(const IndexWatch&) = delete;

  /// Returns after `longest`, or earlier if a commit was seen or stop() was called.
  void wait(std::chrono::milliseconds longest);

  /// Ends the present wait, and all later ones at once.
  void stop();

 private:
  bool read_events() const;

  int notices_ = -1;  ///< descriptor of inotify; -1: none
  int stopped_ = -1;  ///< becomes readable when stop() is called
};

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
