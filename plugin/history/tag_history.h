#pragma once

#include <xapian.h>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "config/guarded_file.h"
#include "config/settings.h"
#include "plugin/history/history_file.h"

namespace kindred {

/// The changes of one commit, while it is made. For one thread.
class HistoryBatch {
 public:
  /// A change without labels is none.
  void add(const DocumentChange& change);
  bool is_empty() const { return parts_.empty(); }

 private:
  friend class TagHistory;
  struct Part {
    std::string bytes;  ///< by put_change()
    std::uint64_t count = 0;
  };
  std::vector<Part> parts_;  ///< each becomes a block
};

/// Writes the history of an index: who changed which tags of which documents, and when. Any number
/// of threads and processes may write one.
///
///     TagHistory history(path, settings, "anna", "edit");
///     HistoryBatch changes;
///     changes.add(change);
///     database.commit();
///     history.append(changes);
///
/// It lies beside the index (kept_files.h), and is kept if history.keep says so and files may be
/// written there. Beside an index of another program it is kept only where files of Kindred lie
/// already, or in index.directory. It has what was committed: if a process is killed between a
/// commit and append(), the history lacks the changes of that commit.
class TagHistory {
 public:
  /// `settings` are settled. `who`: "" for the user of this process. Nothing is written yet.
  /// @throws Error kInvalidArgument as GuardedFile::check(), if the history is to be kept.
  TagHistory(const std::string& database, const Settings& settings, const std::string& who,
             const std::string& how);
  ~TagHistory();
  TagHistory(const TagHistory&) = delete;
  TagHistory& operator=(const TagHistory&) = delete;

  /// Lets the index remember the history, and under which uuid it was made, so that it is still its
  /// own once the index is compacted. To be called in what is committed.
  void remember_in(Xapian::WritableDatabase& database);

  /// Appends the changes of a commit, and leaves the batch empty. The first are synced to disk at
  /// once, those of a long run every ten seconds, and the last ones by the destructor. Removes the
  /// oldest blocks beyond history.max_mb and history.max_days.
  /// @throws Error kDatabase that names the file; kInvalidArgument as above. The tags have changed.
  void append(HistoryBatch& batch);

  /// The number of the run: that of its first change; 0 before there is one.
  std::uint64_t run() const { return run_; }

 private:
  using Clock = std::chrono::steady_clock;

  void open();
  bool append_locked(const std::vector<HistoryBatch::Part>& parts);
  void find_end();
  void write(const std::string& bytes);
  bool sync();
  void trim(std::uint64_t now);
  [[noreturn]] void fail(std::error_code fault) const;

  const std::string database_;
  const HistorySettings settings_;
  const std::string path_;
  const bool keeps_;
  const std::string who_;
  const std::string how_;
  bool is_remembered_ = false;
  std::mutex mutex_;  ///< guards what follows, but for run_ after the last append()
  std::string uuid_;
  std::unique_ptr<const OpenFile> file_;
  std::uint64_t end_ = 0;   ///< of the last block that is known
  std::uint64_t next_ = 1;  ///< number of the change that comes next
  std::uint64_t run_ = 0;
  bool is_synced_ = true;
  std::optional<Clock::time_point> synced_;  ///< when it was last
};

/// A change with what its block says.
struct HistoryEntry {
  std::uint64_t number = 0;
  const HistoryBlock& block;
  const DocumentChange& change;
};

/// What a history is, beside its changes.
struct HistorySummary {
  std::uint64_t damaged = 0;  ///< bytes that are no whole block
  std::uint64_t others = 0;   ///< changes of another index that was at the same place
};

/// Gives the changes of an index, the oldest first. Waits for whoever writes at the moment. None if
/// there is no history. `uuids`: those of the index (KeptFiles).
/// @throws Error kInvalidArgument as GuardedFile::check(), or for a file of more than 4 GB; what
/// `see` throws.
HistorySummary read_history(const std::string& location, const std::vector<std::string>& uuids,
                            const std::function<void(const HistoryEntry&)>& see);

/// Where the history of a database lies; see file_location().
std::string history_path(const std::string& location);

}  // namespace kindred
