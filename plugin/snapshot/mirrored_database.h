#pragma once

#include <xapian.h>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/log.h"
#include "config/settings.h"
#include "plugin/answers/reading_progress.h"
#include "plugin/answers/related.h"
#include "plugin/answers/tag_limits.h"
#include "plugin/documents/document_tags.h"
#include "plugin/input/analyzer_pool.h"
#include "plugin/input/record.h"
#include "plugin/snapshot/example_query.h"
#include "plugin/snapshot/mirror_follower.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/store/database_reader.h"
#include "plugin/store/kept_files.h"
#include "plugin/votes/tuning/tuning.h"

namespace kindred {

/// What a document holds about its tags, and its title.
struct TitledTags {
  StoredTags tags;
  std::string title;
};

/// The database behind an engine. It reads snapshots of it, finds out whether it has moved on, and
/// answers questions that only Xapian can answer. Any number of threads may call it; those that
/// need the database take turns.
class MirroredDatabase {
 public:
  /// `opened` is for a database that the caller opened; then `path` is "". `log` must take calls
  /// from many threads. `on_reading`, which may be empty, is told of the first reading only.
  /// @throws Error kInvalidArgument (settings); as DatabaseReader.
  MirroredDatabase(std::string path, const Xapian::Database* opened, const Settings& settings,
                   Log log, ReadingProgress on_reading = {});

  const std::string& path() const { return path_; }
  /// Where its files are (plugin/store/kept_files.h); "" for a database that the caller opened.
  const std::string& location() const { return location_; }
  std::string name() const { return path_.empty() ? "the database" : path_; }  ///< for messages
  /// Those that were given, settled for this database (plugin/profile/settled_settings.h).
  const Settings& settings() const { return settings_; }
  AnalyzerPool& analyzers() { return analyzers_; }

  /// A snapshot of its current content, with its current tuning. Only one call of this, of
  /// next_snapshot() or of moved() may run at a time.
  /// @throws Error as DatabaseReader::read(); kInvalidArgument or kCorrupt for a tuning that does
  /// not fit.
  std::shared_ptr<const Snapshot> read_snapshot();

  /// The same, made of `known`, which must be the last snapshot of this database, and of the
  /// documents that changed since, if that is possible; else as read_snapshot().
  /// `changed`: the documents that a writer says have changed; they are read if the database itself
  /// does not tell.
  std::shared_ptr<const Snapshot> next_snapshot(const Snapshot& known,
                                                std::span<const Xapian::docid> changed = {});

  /// `known`, which must be the last snapshot of this database, with a compact mirror.
  std::shared_ptr<const Snapshot> compact_snapshot(const Snapshot& known);

  /// Saves the mirror of `known`, which must be the last snapshot of this database, beside the
  /// database. From then on a snapshot is made of it and of what changed since, until it is
  /// removed. Returns the path. Only one call of this or of those above may run at a time.
  /// @throws Error kUnsupported if the database cannot be followed; as save_mirror().
  std::string save(const Snapshot& known);

  /// True if next_snapshot() reads only what changed and the mirror may grow by it.
  bool is_followed() const { return follower_.state().has_value(); }

  /// True if the settings want the mirror of `known` saved, since much has changed since it was
  /// saved, or anything if it is about to be `closing`.
  bool should_save(const Snapshot& known, bool closing) const;

  /// True if the database or its tuning may differ from what `known` was made of.
  bool moved(const Snapshot& known);

  /// The rows of `snapshot` that match a Xapian query. A query that comes again is not asked of
  /// Xapian again, as long as the snapshot remembers it and the database is not opened anew.
  std::shared_ptr<const RowSet> matching(const Snapshot& snapshot, const std::string& filter);

  /// The documents of `snapshot` that have a term, ascending; "" stands for all. Only those of
  /// `rows`, if it is given.
  std::vector<Xapian::docid> with_term(const Snapshot& snapshot, const std::string& term,
                                       const RowSet* rows);

  /// The rows that share a term with this prefix, or, if it is "value:SLOT", a value of that slot:
  /// ascending in each group of two or more.
  /// @throws Error kInvalidArgument for a slot that is none.
  std::vector<std::vector<std::uint32_t>> groups(const Snapshot& snapshot,
                                                 const std::string& prefix);

  /// The tags that an example must not get: by its own record, and by its document. `row` is the
  /// row of that document, or Neighbor::kNoRow.
  TagLimits limits_of(const Snapshot& snapshot, const Example& example, std::uint32_t row);

  /// The tags of a document with limits that are up to date, and its title. Of a document that was
  /// deleted since: the labels that the mirror has.
  TitledTags tags_of(const Snapshot& snapshot, std::uint32_t row);

  /// What the metadata say of Kindred's files.
  KeptFiles kept();

  /// Runs `body`, and again if the database changed meanwhile. `what` begins the message of a
  /// failure.
  void read(const std::string& what, const std::function<void(const Xapian::Database&)>& body);

 private:
  Mirror read_lists();
  std::optional<Mirror> load_saved();
  MirrorFollower::Outcome follow(const Snapshot& known, std::span<const Xapian::docid> changed);
  void tell(const std::string& message);
  void tell_followed(const std::string& what, const MirrorFollower::Outcome& followed);
  std::shared_ptr<const Snapshot> make_snapshot(Mirror mirror, const Snapshot* before = nullptr);
  void expect_languages();
  const std::shared_ptr<const Tuning>& load_tuning(const std::string& uuid);
  std::shared_ptr<const Tuning> tuning_of(const Mirror& mirror);
  bool tuning_moved(const Snapshot& known);
  void say_once(const std::string& message);

  const std::string path_;
  DatabaseReader database_;  // for filters, titles and revisions; not for the mirror
  const Settings settings_;
  const std::string location_;
  const Log log_;
  ReadingProgress on_reading_;  // empty once the database was read
  const std::size_t threads_;
  std::mutex said_mutex_;
  std::string last_said_;  // the last message of a backend
  std::string last_why_;   // the last reason why everything was read again
  AnalyzerPool analyzers_;
  std::mutex mutex_;  ///< guards database_
  MirrorFollower follower_;
  std::shared_ptr<const Tuning> tuning_;  ///< that was read last; null if there was none
  std::mutex refused_mutex_;
  std::string refused_tuning_;  ///< Tuning::stamp of one of another index or format
  std::uint64_t unsaved_ = 0;   ///< documents that were read since the mirror was saved
};

}  // namespace kindred
