#pragma once

#include <chrono>
#include <string>
#include <vector>

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

}  // namespace kindred
