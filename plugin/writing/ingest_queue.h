#pragma once

#include <xapian.h>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "analyzer/term_bag.h"
#include "config/settings.h"
#include "plugin/input/analyzer_pool.h"
#include "plugin/input/record.h"
#include "plugin/topics/topic_map.h"
#include "plugin/writing/ingest.h"

namespace kindred {

/// A record on its way into the database. It is handed in as a Record or as JSON. Analysis fills in
/// the rest.
struct IncomingRecord {
  DocumentReport report;
  std::string json;  ///< as it was handed in, or as it goes to the dead letters; else ""
  Record record;
  bool parsed = false;    ///< `record` is filled in
  bool named = false;     ///< its id is of its origin
  bool counted = false;   ///< the caller knows that it failed, and it is counted
  std::size_t bytes = 0;  ///< as it was handed in, roughly

  Xapian::Document document;
  TermBag features;

  bool is_refused() const { return !report.reason.empty() && !report.pending; }
};

/// The part of ingest that needs no database. Any number of threads may use one object.
class RecordAnalysis {
 public:
  /// `settings` is borrowed. `map`: gives documents their place, or null. `ids_by_origin`: as in
  /// IngestOptions. @throws Error as Analyzer.
  RecordAnalysis(const Settings& settings, std::shared_ptr<const TopicMap> map, bool ids_by_origin);

  /// Parses the record if need be, checks it, and makes its document. What goes wrong becomes the
  /// reason of its report. Keeps the JSON, or makes it, only if records that fail become dead
  /// letters.
  void analyze(IncomingRecord& incoming);

 private:
  void parse(IncomingRecord& incoming) const;
  void make(IncomingRecord& incoming);

  const Settings& settings_;
  const bool keeps_json_;
  const bool ids_by_origin_;
  const std::shared_ptr<const TopicMap> map_;
  AnalyzerPool analyzers_;
};

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

  /// For the caller: asks the writer to commit everything that was pushed.
  void ask_commit();

  /// For the caller: waits until the writer has done so. @throws what fail() was given.
  void wait_for_commit();

  /// For threads that analyze: analyzes records until the queue has failed.
  void analyze_all();

  /// What the writer is to do next.
  struct Next {
    enum class Kind { kRecord, kCommit, kTime, kNothing };
    Kind kind = Kind::kNothing;
    std::optional<IncomingRecord> incoming;  ///< of kRecord
  };

  /// For the writer: the oldest record, analyzed; or that a commit is asked for, or that the
  /// deadline has passed. While the oldest is not ready, it analyzes others. If there is nothing to
  /// do, it waits, or says so with `waits` off. @throws what fail() was given.
  Next take(std::optional<Clock::time_point> deadline, bool waits = true);

  /// For the writer: has committed all that it took.
  void committed();

  /// For any thread: this is the end, and what waits is dropped. The others throw the failure, the
  /// first if there are several.
  void fail(std::exception_ptr failure);

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

  const std::size_t most_records_;
  const std::size_t most_bytes_;
  const Analyze analyze_;
  std::mutex mutex_;
  std::condition_variable has_room_;   ///< for the caller, also for commits
  std::condition_variable has_work_;   ///< for threads that analyze
  std::condition_variable has_ready_;  ///< for the writer
  std::deque<Slot> slots_;
  std::size_t begun_ = 0;  ///< how many slots, the first, are analyzed or being analyzed
  std::size_t bytes_ = 0;
  bool commit_asked_ = false;
  std::exception_ptr failure_;
};

}  // namespace kindred
