#pragma once

#include <xapian.h>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "config/settings.h"
#include "plugin/documents/document_tags.h"
#include "plugin/engine.h"
#include "plugin/topics/map.h"
#include "plugin/writing/dead_letters.h"
#include "plugin/writing/incoming_record.h"
#include "plugin/writing/ingest.h"

namespace kindred {

/// The part of ingest that has the database: gathers analyzed records in waves, classifies a wave
/// at once, writes it, and commits by number, size and time. Any thread, one at a time.
class DocumentWriter {
 public:
  using Clock = std::chrono::steady_clock;

  /// Opens the database and the dead letters. With more than one of `threads`, a wave is classified
  /// while the one before is written. `shared`: tags from it, and refreshes it; borrowed, or null
  /// for an engine of its own. @throws Error as Ingest.
  DocumentWriter(const std::string& path, const Settings& settings, std::size_t threads,
                 IngestOptions options, Engine* shared);

  /// The next record, analyzed. @throws Error kDatabase, kCorrupt; what a callback throws.
  void accept(IncomingRecord incoming);

  /// Writes and commits everything, and reports it. @throws as accept().
  void commit();

  /// When the records that wait are to be committed; nothing if there is no bound, or none waits.
  std::optional<Clock::time_point> deadline() const;

  const IngestReport& report() const { return report_; }
  std::uint64_t told() const { return told_; }  ///< failures of report() that the caller knew of
  const std::shared_ptr<const TopicMap>& map() const { return map_; }  ///< null: there is none

 private:
  /// A document of the wave.
  struct Arrival {
    std::uint64_t number = 0;  ///< of its report
    std::string id_term;
    Xapian::docid docid = 0;  ///< that it replaces; 0 if there is none, or more than one
    bool known = false;       ///< it replaces one or more
    std::size_t bytes = 0;
    std::string json;  ///< for the dead letters
    Xapian::Document document;
    AnalyzedRecord analyzed;
    StoredTags tags;  ///< that the document is to hold; of labels only those that matter for them
    bool labeled = false;
    bool was_tagged =
        false;  ///< the document that it replaces had predicted tags, or was marked to get some

    bool wants_tags() const { return !labeled && analyzed.limits.auto_tag; }
  };
  /// Documents that are classified together. Each id is there once, so that the order inside a
  /// wave does not matter.
  struct Wave {
    std::vector<Arrival> arrivals;
    std::unordered_set<std::string> id_terms;
    std::size_t bytes = 0;
    /// For the arrivals that want tags, in their order; not valid if there are none.
    std::future<std::vector<Classification>> classifications;
  };
  /// A document that is not yet compared with the others.
  struct Written {
    std::uint64_t number = 0;  ///< of its report
    Xapian::docid docid = 0;
  };
  struct Line {
    DocumentReport report;
    bool done = false;
  };

  void read_map();
  void note(const IncomingRecord& incoming);
  Line& line(std::uint64_t number) { return lines_[number - first_line_]; }
  Arrival arrive(IncomingRecord incoming, std::string id_term);
  void inherit(Record& record, const StoredTags& old, Xapian::Document& document) const;
  std::optional<StoredTags> known_tags(Arrival& arrival);
  void gather(IncomingRecord incoming);
  bool wave_is_full() const;
  bool batch_is_full() const;
  void close_wave();
  void write_classifying();
  void write(Arrival& arrival);
  Xapian::docid put(const Arrival& arrival);
  void classify(Wave& wave);
  void find_voters(Wave& wave);
  void write_labeled_first(Wave& wave);
  void give_tags(Wave& wave);
  void leave_untagged(Wave& wave, const std::string& reason);
  void mark_pending(Arrival& arrival, const std::string& reason);
  void fail(std::uint64_t number, const std::string& reason, const std::string& json);
  void open_engine();
  void commit_written();
  void compare_committed();
  void compare(std::size_t ready);
  void deliver();

  const std::string path_;
  const Settings settings_;
  const std::size_t threads_;
  const IngestOptions options_;
  std::unique_ptr<DeadLetters> dead_letters_;  ///< null: none are kept
  Xapian::WritableDatabase database_;
  std::shared_ptr<const TopicMap> map_;
  std::unique_ptr<Engine> own_engine_;
  Engine* engine_;                 ///< gives tags and near-duplicates; null until it is needed
  bool gives_tags_;                ///< it has what was written before the first tags
  std::uint64_t new_labeled_ = 0;  ///< labeled documents written since the engine was refreshed
  std::uint64_t uncommitted_labeled_ = 0;  ///< those of them since the last commit
  bool committed_ = false;                 ///< since the engine was refreshed
  std::int64_t written_ = 0;               ///< documents since the last commit
  std::int64_t failed_ = 0;                ///< records since the last commit
  std::size_t written_bytes_ = 0;
  bool writing_ = false;                     ///< or committing; also after that has failed
  std::vector<Written> uncompared_;          ///< committed, but not reported, or since then
  std::optional<Clock::time_point> oldest_;  ///< when the first record since the last commit came
  std::deque<Line> lines_;                   ///< not yet reported
  std::uint64_t first_line_ = 0;             ///< the number of the first of them
  std::uint64_t next_line_ = 0;
  IngestReport report_;
  std::uint64_t told_ = 0;
  Wave wave_;  ///< that gathers
  Wave
      classifying_;  ///< the one before, which is to be written; last, for its thread uses the rest
};

}  // namespace kindred
