#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>

#include "plugin/writing/incoming_record.h"

namespace kindred {

/// The records between the caller and the writer, in the order in which they were handed in. Any
/// number of threads analyze them, in any order. Bounded: whoever adds to a full queue waits.
class IngestQueue {
 public:
  using Clock = std::chrono::steady_clock;
  using Analyze = std::function<void(IncomingRecord&)>;

  /// Holds at most this many records, and records of this many bytes; a longer one waits alone.
  IngestQueue(std::size_t most_records, std::size_t most_bytes, Analyze analyze);

  /// For the caller. Waits while the queue is full. @throws what fail() was given.
  void push(IncomingRecord incoming);

  /// For the caller: waits until the writer has committed everything that was pushed.
  /// @throws what fail() was given.
  void commit();

  /// For threads that analyze: analyzes records until the queue is closed or has failed.
  void analyze_all();

  /// What the writer is to do next.
  struct Next {
    enum class Kind { kRecord, kCommit, kTime, kEnd };
    Kind kind = Kind::kEnd;
    std::optional<IncomingRecord> incoming;  ///< of kRecord
  };

  /// For the writer: the oldest record, analyzed; or that a commit is asked for, that the deadline
  /// has passed, or that the queue is closed. While the oldest is not ready, it analyzes others.
  Next take(std::optional<Clock::time_point> deadline);

  /// For the writer: has committed all that it took.
  void committed();

  /// For any thread: the others stop and throw this.
  void fail(std::exception_ptr failure);

  /// For the caller: no more records come. If `abandon`, those that wait are dropped.
  void close(bool abandon);

 private:
  struct Slot {
    IncomingRecord incoming;
    bool ready = false;
  };
  using Lock = std::unique_lock<std::mutex>;

  bool is_full(std::size_t bytes) const {
    return !slots_.empty() && (slots_.size() >= most_records_ || bytes_ + bytes > most_bytes_);
  }
  void analyze_one(Lock& lock);
  IncomingRecord pop();
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  const std::size_t most_records_, most_bytes_;
  const Analyze analyze_;
  std::mutex mutex_;
  std::condition_variable has_room_;   ///< for the caller, also for commits
  std::condition_variable has_work_;   ///< for threads that analyze
  std::condition_variable has_ready_;  ///< for the writer
  std::deque<Slot> slots_;
  std::size_t begun_ =
      0;  ///< of the slots, how many are analyzed or being analyzed: the first ones
  std::size_t bytes_ = 0;
  std::uint64_t commits_asked_ = 0, commits_done_ = 0;
  bool closed_ = false;
  std::exception_ptr failure_;
};

}  // namespace kindred
