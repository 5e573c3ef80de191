#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plugin/current_handle.h"
#include "plugin/group_size.h"
#include "plugin/write_task.h"

namespace search_server {

/// The one thread that writes documents and tags. Records that arrive while it writes are committed
/// together (group commit), and each is answered when it is on disk and questions find it. When
/// there is nothing to write it releases the write lock of the database, so that other programs can
/// take it.
///
/// What people wait for goes before records in bulk; in both, what was handed in first. A group of
/// records takes half a second or so, thus nobody waits for many that others handed in.
class Writer {
 public:
  /// `current` must outlive the writer; its handles must report records to reported().
  explicit Writer(CurrentHandle& current);
  ~Writer() { stop(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  enum Queue { kPeople, kBulk };

  /// Hands in a record as JSON, or work on the current handle. Blocks while too much waits in its
  /// queue, until the deadline. Null then, and after stop(). Any thread may call.
  std::shared_ptr<WriteTask> ingest(std::string record, Queue queue,
                                    std::chrono::steady_clock::time_point deadline);
  std::shared_ptr<WriteTask> run(WriteTask::Work work,
                                 std::chrono::steady_clock::time_point deadline);

  /// Runs `work` while nothing is written, for runs that take the write lock themselves. Waits for
  /// what is being written.
  void exclusively(const WriteTask::Work& work);

  /// For the handle: what became of the oldest record that is not reported yet.
  void reported(const kindred_document_report& report);

  /// Writes everything handed in, commits, and ends the thread.
  void stop();

 private:
  using Tasks = std::deque<std::shared_ptr<WriteTask>>;

  std::shared_ptr<WriteTask> hand_in(std::shared_ptr<WriteTask> task, Queue queue,
                                     std::chrono::steady_clock::time_point deadline);
  void write();
  bool wait_for_tasks();
  bool nothing_waits() const;
  std::shared_ptr<WriteTask> next_record();
  void write_records();
  void write_other();
  void end_ingest();
  void answer_reported();
  void throw_if_unreported();
  void fail_unreported(std::exception_ptr error);

  CurrentHandle& current_;
  std::mutex gate_;   ///< held while something is written
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  std::array<Tasks, 2> waiting_;  ///< by Queue
  std::array<std::size_t, 2> waiting_bytes_{};
  Tasks unreported_;  ///< records that the library has, oldest first
  std::vector<std::pair<std::shared_ptr<WriteTask>, IngestOutcome>> reported_;  ///< not answered
  bool stopping_ = false;
  bool ingesting_ = false;  ///< the library may hold the write lock; for the thread only
  GroupSize group_size_;    ///< likewise
  std::thread thread_;
};

}  // namespace search_server
