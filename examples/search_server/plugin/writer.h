#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "plugin/handle.h"

namespace search_server {

/// What became of one record.
struct Outcome {
  int kind = KINDRED_REFUSED;
  std::string id;                                         ///< "" if the record could not be read
  std::vector<std::pair<std::string, double>> predicted;  ///< labels and confidences
  bool pending = false;                                   ///< marked to be tagged later
  std::string reason;                                     ///< why it was refused or is pending
};

/// Lets one thread write at a time, in the order in which they come. Between two uses the write
/// lock of the database is released, so that other programs can take it. Any thread may use it.
class Writer {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  using CurrentHandle = std::function<std::shared_ptr<const Handle>()>;

  /// The handles report records to reported().
  explicit Writer(CurrentHandle handle) : handle_(std::move(handle)) {}

  /// Ingests records, each as JSON, and commits. When it returns, what became of each is on disk,
  /// and questions find it. @throws Problem 503 if its turn does not come before the deadline, or
  /// after stop(): then nothing is written; PluginError if none is.
  std::vector<Outcome> ingest(const std::vector<std::string>& records, Deadline deadline);

  /// Does other work that writes. @throws as ingest(); what the work throws.
  void run(const std::function<void(const Handle&)>& work, Deadline deadline);

  /// Releases the write lock if nobody has written for a while.
  void release_if_idle();

  /// For the handle: what became of the oldest record that is not reported yet.
  void reported(const kindred_document_report& report);

  /// Waits for what is being written. Nothing is written afterwards.
  void stop();

 private:
  /// Lives while its thread may write.
  struct Turn {
    Turn(Writer& writer, Deadline deadline);
    ~Turn();
    Writer& writer;
  };

  void end_ingest();

  const CurrentHandle handle_;
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  std::deque<Turn*> turns_;  ///< the first one writes
  bool stopping_ = false;
  std::vector<Outcome> reports_;  ///< of records that are written
  bool ingesting_ = false;        ///< the library may hold the write lock; for who writes
  std::chrono::steady_clock::time_point wrote_{};  ///< likewise
};

}  // namespace search_server
