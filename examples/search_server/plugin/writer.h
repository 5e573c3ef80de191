#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugin/handle.h"

namespace search_server {

/// What became of a record that is refused, as POST /documents says it.
Json refused(const std::string& reason);

/// Lets one thread write at a time, in the order in which they come. Any thread may use it.
class Writer {
 public:
  using Clock = std::chrono::steady_clock;
  using CurrentHandle = std::function<std::shared_ptr<const Handle>()>;

  /// The handles report records to reported().
  explicit Writer(CurrentHandle handle) : handle_(std::move(handle)) {}

  /// Ingests records, each as JSON, and commits. When it returns, what became of each is on disk,
  /// and questions find it. @throws Problem 503 if its turn does not come before the deadline, or
  /// after stop(): then nothing is written; PluginError if none is; what `check` throws, which is
  /// called before the first record is written, while nobody else writes.
  std::vector<Json> ingest(const std::vector<std::string>& records, Clock::time_point deadline,
                           const std::function<void()>& check = {});

  /// Does other work that writes. @throws as ingest(); what the work throws.
  void run(const std::function<void(const Handle&)>& work, Clock::time_point deadline);

  /// For work of run() that holds no lock at the moment: others have their turn.
  void let_others_write();

  /// Ends ingest if nobody has written for a while, so that the next record meets a new map.
  void end_if_idle();

  /// For the handle: what became of the oldest record that is not reported yet.
  void reported(const kindred_document_report& report);

  /// Waits for what is being written. Nothing is written afterwards.
  void stop();

 private:
  /// Lives while its thread may write.
  struct Turn {
    Turn(Writer& writer, Clock::time_point deadline);
    ~Turn();
    Writer& writer;
  };

  void end_ingest();

  const CurrentHandle handle_;
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  std::deque<Turn*> turns_;  ///< the first one writes
  bool stopping_ = false;
  std::vector<Json> reports_;  ///< of records that are written
  bool ingesting_ = false;     ///< since the library began; for who writes
  Clock::time_point wrote_{};  ///< likewise
};

}  // namespace search_server
