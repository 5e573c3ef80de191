#pragma once

#include <xapian.h>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "config/pulse.h"
#include "config/settings.h"
#include "gpu/document_set.h"
#include "gpu/pool.h"
#include "plugin/documents/document_tags.h"
#include "plugin/input/analyzer_pool.h"
#include "plugin/input/example.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/store/database_reader.h"
#include "plugin/store/database_walk.h"
#include "plugin/store/kept_files.h"

namespace kindred {

/// What a document holds about its tags, and its title.
struct TitledTags {
  StoredTags tags;
  std::string title;
};

/// The slot of a group of documents that is called "value:SLOT"; nothing for a prefix.
/// @throws Error kInvalidArgument for a slot that is none.
std::optional<Xapian::valueno> slot_of_group(const std::string& name);

/// The database behind an engine, which answers what only Xapian can answer. Any number of threads
/// may call it; those that need the database take turns.
class MirroredDatabase {
 public:
  /// `opened` is for a database that the caller opened; then `path` is "".
  /// @throws Error kInvalidArgument (settings); as DatabaseReader.
  MirroredDatabase(std::string path, const Xapian::Database* opened, const Settings& settings);

  const std::string& path() const { return path_; }
  /// Where its files are (plugin/store/kept_files.h); "" for a database that the caller opened.
  const std::string& location() const { return location_; }
  /// For messages.
  std::string name() const {
    if (path_.empty()) return "the database";
    return path_;
  }
  /// Those that were given, settled for this database (plugin/store/settled_settings.h).
  const Settings& settings() const { return settings_; }
  AnalyzerPool& analyzers() { return analyzers_; }
  std::string uuid();

  /// Opens the current revision. True if it may be another one than a mirror's. `shards`: the state
  /// of each shard when the mirror was made; empty if that is not known.
  /// @throws Error as DatabaseReader::follow().
  bool has_moved(const Mirror& known, const std::optional<DatabaseState>& shards);

  /// The documents of `snapshot` that match a Xapian query. A query that comes again is not asked
  /// of Xapian again, as long as the snapshot remembers it and the database is not opened anew.
  /// @throws Error kInvalidArgument if it does not parse; as read().
  std::shared_ptr<const DocumentSet> matching(const Snapshot& snapshot, const std::string& filter,
                                              const Pulse& pulse = {});

  /// The documents of `snapshot` that have a term, ascending; "" stands for all. Only those of
  /// `among`, if it is given.
  std::vector<Xapian::docid> with_term(const Snapshot& snapshot, const std::string& term,
                                       const DocumentSet* among);

  /// The documents that share a term with this prefix, or, if it is "value:SLOT", a value of that
  /// slot: ascending in each group of two or more.
  /// @throws Error kInvalidArgument for a slot that is none.
  std::vector<std::vector<Xapian::docid>> groups(const std::string& prefix);

  /// The tags that an example must not get: by its own record, and by its document. `docid` is
  /// that document, or kNoDocument.
  TagLimits limits_of(const Snapshot& snapshot, const Example& example, Xapian::docid docid);

  /// The tags of a document with limits that are up to date, and its title. Of a document that was
  /// deleted since: the labels that the mirror has.
  TitledTags tags_of(const Snapshot& snapshot, Xapian::docid docid);

  /// The labels in byte order, with the numbers of their documents. They are read again only after
  /// the database was opened anew, but always if the caller opened it. @throws as read().
  std::shared_ptr<const api::LabelsAnswer> label_counts(const Pulse& pulse = {});

  /// What the metadata say of Kindred's files.
  KeptFiles kept();

  /// The result of body(database), which runs again if the database changed meanwhile. `what`
  /// begins the message of a failure. The pulse is called while others have the database.
  template <typename Body>
  auto read(const std::string& what, Body&& body, const Pulse& pulse = {}) {
    const Turn turn = take_turn(pulse);
    return database_.read(name() + ": " + what, body);
  }

  /// The same on the revision that is current; nothing if somebody has committed meanwhile.
  template <typename Body>
  auto read_current(const std::string& what, Body&& body) {
    const std::lock_guard lock(mutex_);
    database_.follow(name() + ": cannot follow the database");
    auto result = std::optional(database_.read(name() + ": " + what, body));
    if (database_.overtaken()) result.reset();
    return result;
  }

  /// Runs `body` on the revision that is current, in one of several databases: threads do not wait
  /// for each other, unless the caller opened the database.
  void read_latest(const std::string& what,
                   const std::function<void(const Xapian::Database&)>& body);

 private:
  using Turn = std::unique_lock<std::timed_mutex>;
  Turn take_turn(const Pulse& pulse);

  const std::string path_;
  DatabaseReader database_;  // for filters, titles and revisions; not for the mirror
  const Settings settings_;
  const std::string location_;
  AnalyzerPool analyzers_;
  std::timed_mutex mutex_;  ///< guards database_, label_counts_ and counted_opening_
  std::shared_ptr<const api::LabelsAnswer> label_counts_;  ///< null: not asked for yet
  std::uint64_t counted_opening_ = 0;  ///< database_.openings() of label_counts_
  Pool<DatabaseReader> readers_;       ///< for read_latest()
};

}  // namespace kindred
