#pragma once

#include <xapian.h>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "config/settings.h"
#include "plugin/engine.h"
#include "plugin/history/tag_history.h"
#include "plugin/topics/topic_map.h"
#include "plugin/writing/dead_letters.h"
#include "plugin/writing/ingest.h"
#include "plugin/writing/ingest_queue.h"
#include "plugin/writing/wave_tagger.h"

namespace kindred {

/// The part of ingest that has the database. Analyzed records are gathered in a wave, WaveTagger
/// gives it its tags, it is written, and after a commit its records are reported: all in the order
/// in which they came. Commits by number, size and time. Any thread, one at a time.
class DocumentWriter {
 public:
  using Clock = std::chrono::steady_clock;

  /// Opens the database and the dead letters. With more than one of `threads`, a wave is classified
  /// while the one before is written. `shared`: tags from it, and refreshes it; borrowed, or null
  /// for an engine of its own. @throws Error as Ingest.
  DocumentWriter(const std::string& path, const Settings& settings, std::size_t threads,
                 IngestOptions options, Engine* shared);

  /// The map that gives documents their topics; null if there is none. One that cannot be used is
  /// logged.
  std::shared_ptr<const TopicMap> read_map() const;

  /// The next record, analyzed. @throws Error kDatabase, kCorrupt; what a callback throws.
  void accept(IncomingRecord incoming);

  /// Writes and commits everything, and reports it. @throws as accept().
  void commit();

  /// When the records that wait are to be committed; nothing if there is no bound, or none waits.
  std::optional<Clock::time_point> deadline() const;

  const IngestReport& report() const { return report_; }
  std::uint64_t counted() const {
    return counted_;
  }  ///< failures of report() that the caller knew of

 private:
  /// What is written, and not yet reported.
  struct Batch {
    struct Document {
      DocumentReport report;
      Xapian::docid docid;  ///< 0 if it was refused
    };
    std::vector<Document> documents;
    std::size_t bytes = 0;
    std::optional<Clock::time_point> oldest;  ///< when its first record came
  };

  /// The database, with its lock.
  struct Held {
    std::optional<Xapian::WritableDatabase> database;  ///< nothing since a commit: others may write
    Clock::time_point since = Clock::now();            ///< when it was opened
  };

  void wait_for_id(const std::string& id_term);
  Arrival arrive(IncomingRecord incoming);
  void count_keys(const Record& record);
  bool inherit(Arrival& arrival, const Xapian::Document& replaced) const;
  void close_wave();
  bool find_voters(Wave& wave, Wave& before);
  void write_tagged();
  void write(Wave& wave);
  void put(Arrival& arrival);
  void count(const Arrival& arrival);
  Xapian::WritableDatabase& database();
  void commit_documents();
  void compare(Batch& batch);

  const std::string path_;
  const Settings settings_;
  const IngestOptions options_;
  std::unique_ptr<DeadLetters> dead_letters_;  ///< null: none are kept
  Held held_;
  TagHistory history_;
  HistoryBatch changes_;  ///< that are not committed
  IngestReport report_;
  std::uint64_t counted_ = 0;
  std::unordered_set<std::string> ids_;  ///< id terms of wave_ and tagged_
  Wave wave_;                            ///< that gathers
  Batch batch_;
  WaveTagger tagger_;
  std::future<Wave> tagged_;  ///< the wave before; last, for its thread uses the rest
};

}  // namespace kindred
