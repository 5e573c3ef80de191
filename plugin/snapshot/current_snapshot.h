#pragma once

#include <xapian.h>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "config/log.h"
#include "plugin/progress.h"
#include "plugin/questions.h"
#include "plugin/snapshot/mirror_follower.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/votes/tuning/tuning.h"

namespace kindred {

/// The snapshot of a database that new questions run on, made with its current tuning. Any number
/// of threads may call it. A thread that got a snapshot may keep it as long as it needs it, and as
/// long as this.
class CurrentSnapshot {
 public:
  /// Reads the first one. `database` is borrowed. Each snapshot that is read is reported to `log`,
  /// which must take calls from many threads. `on_reading` is told of the first reading only. Both
  /// may be empty.
  /// @throws Error as DatabaseReader::read(); kInvalidArgument or kCorrupt for a tuning that does
  /// not fit.
  CurrentSnapshot(MirroredDatabase& database, Log log, ReadingProgress on_reading = {});

  std::shared_ptr<const Snapshot> get() const;

  /// Makes a new one if the database, its tuning or vocabulary has moved on; true if so: of the
  /// documents that changed, where these can be told, else of all. One thread at a time does that,
  /// and get() does not wait for it. On failure the old one stays. Errors as above. `changed`: the
  /// documents that a writer says have changed; they are read if the database itself does not tell.
  bool refresh(std::span<const Xapian::docid> changed = {});

  /// Finds related documents by these weights from now on, until the database has others on disk.
  /// Errors as refresh().
  void use_lift(NeighborLift lift);

  /// True if refresh() costs what the documents cost that changed.
  bool is_followed();

  /// What a thread does that follows the database: refresh(), and a saved mirror if the settings
  /// say so. Errors as refresh() and save().
  void follow();

  /// Saves the mirror when the database is closed, if the settings say so. Errors go to the log.
  void close() noexcept;

  /// Saves the mirror again if it is saved, and only the revision has moved on, as when metadata
  /// were written: whoever opens the index next need not compare all of its term lists. Errors go
  /// to the log.
  void save_again() noexcept;

  /// Saves the current one's mirror beside the database. From then on a snapshot is made of it and
  /// of what changed since, until it is removed.
  /// @throws Error kUnsupported if the database cannot be followed; kDatabase if others write
  /// faster than it can be read; as refresh() and save_mirror().
  api::SaveMirrorAnswer save();

 private:
  // All that follow expect refresh_mutex_ to be held.
  bool refresh_locked(std::span<const Xapian::docid> changed);
  DatabaseProof prove_current();
  std::shared_ptr<const Snapshot> first_snapshot();
  std::shared_ptr<const Snapshot> next_snapshot(const Snapshot& known,
                                                std::span<const Xapian::docid> changed);
  std::shared_ptr<const Snapshot> make_snapshot(Mirror mirror, const Snapshot* before = nullptr);
  void replace(std::shared_ptr<const Snapshot> fresh);
  void report(const Snapshot& fresh) const;
  void report_read(const std::string& what, const MirrorFollower::Outcome& followed) const;
  MirrorFollower::Outcome follow_documents(const Snapshot& known,
                                           std::span<const Xapian::docid> changed);
  Mirror read_lists();
  std::optional<Mirror> load_saved();
  bool should_save(bool closing) const;
  api::SaveMirrorAnswer save_current();
  void load_tuning(const std::string& uuid);
  void load_lift();
  std::shared_ptr<const NeighborLift> fitting_lift(const Mirror& mirror) const;
  bool has_tuning_moved(const Snapshot& known) const;
  bool has_lift_moved() const;
  void load_vocabulary();
  bool has_vocabulary_moved() const;
  void expect_languages();
  std::size_t threads() const;

  MirroredDatabase& database_;
  const Log log_;
  const Log log_once_;          ///< log_ without what was said just before
  const Log log_why_once_;      ///< the same, for reasons why all documents are read again
  ReadingProgress on_reading_;  ///< empty once the database was read
  MirrorFollower follower_;
  std::shared_ptr<const Tuning> tuning_;          ///< that was read last; null if there was none
  UnusedTuning unused_tuning_;                    ///< what was read instead
  std::shared_ptr<const NeighborLift> lift_;      ///< that was read or learned last; may be null
  std::string lift_stamp_;                        ///< of the file that was looked at last
  std::shared_ptr<const Vocabulary> vocabulary_;  ///< that was read last; may be null
  std::string vocabulary_stamp_;                  ///< of the file that was looked at last
  std::uint64_t unsaved_ = 0;  ///< documents that were read since the mirror was saved
  std::mutex refresh_mutex_;
  mutable std::mutex mutex_;  ///< held to copy or swap the pointer only
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace kindred
