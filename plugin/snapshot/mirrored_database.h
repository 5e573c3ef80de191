#pragma once

#include <xapian.h>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "config/log.h"
#include "config/settings.h"
#include "plugin/answers/related.h"
#include "plugin/answers/tag_limits.h"
#include "plugin/input/analyzer_pool.h"
#include "plugin/input/record.h"
#include "plugin/snapshot/example_query.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/store/database_reader.h"
#include "plugin/votes/tuning.h"

namespace kindred {

/// The database behind an engine: reads snapshots of it, tells whether it moved on, and answers
/// what only Xapian knows. Any number of threads; those that ask the database take turns.
class MirroredDatabase {
 public:
  /// `opened` is for a database that the caller opened; then `path` is "". `log` must take calls
  /// from many threads.
  /// @throws Error kInvalidArgument (settings); as DatabaseReader.
  MirroredDatabase(std::string path, const Xapian::Database* opened, const Settings& settings,
                   Log log);

  const std::string& path() const { return path_; }
  std::string name() const { return path_.empty() ? "the database" : path_; }  ///< for messages
  const Settings& settings() const { return settings_; }
  AnalyzerPool& analyzers() { return analyzers_; }

  /// What it holds now, under the tuning that it has now. One call of this or of moved() at a time.
  /// @throws Error as DatabaseReader::read(); kInvalidArgument or kCorrupt for a tuning that does
  /// not fit.
  std::shared_ptr<const Snapshot> read_snapshot();

  /// True if the database or its tuning may differ from what `known` was made of.
  bool moved(const Snapshot& known);

  /// The rows of `snapshot` that match a Xapian query.
  RowSet matching(const Snapshot& snapshot, const std::string& filter);

  /// The documents of `snapshot` that have a term, ascending; "" is all. Only those of `rows`, if
  /// given.
  std::vector<Xapian::docid> with_term(const Snapshot& snapshot, const std::string& term,
                                       const RowSet* rows);

  /// What must not be given to an example: what it says itself, and what its document says. `row`
  /// is that of its document, or Neighbor::kNoRow.
  TagLimits limits_of(const Snapshot& snapshot, const Example& example, std::uint32_t row);

  /// Titles of documents that were deleted since are left empty.
  void fill_titles(std::vector<Related>& results);

  /// Lets `body` read, again if the database changed under it; `what` could not be done then.
  void read(const std::string& what, const std::function<void(const Xapian::Database&)>& body);

 private:
  Mirror read_lists();
  std::optional<Tuning> read_tuning_of(const Mirror& mirror) const;
  bool tuning_moved(const Snapshot& known) const;
  void say_once(const std::string& message);

  const std::string path_;
  const Settings settings_;
  const Log log_;
  std::mutex said_mutex_;
  std::string last_said_;  // by the backend of a snapshot
  AnalyzerPool analyzers_;
  std::mutex mutex_;
  DatabaseReader database_;  // for filters, titles and revisions; not for the mirror
};

}  // namespace kindred
