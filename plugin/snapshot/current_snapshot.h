#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "config/log.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {

/// The snapshot of a database that new questions run on. Any number of threads may call it. A
/// thread that got a snapshot may keep it as long as it needs it.
class CurrentSnapshot {
 public:
  /// Reads the first one. `database` is borrowed. Each snapshot that is read is reported to `log`.
  /// @throws Error as MirroredDatabase::read_snapshot().
  CurrentSnapshot(MirroredDatabase& database, Log log);

  std::shared_ptr<const Snapshot> get() const;

  /// The same with a compact mirror, as those need it that look at all terms or labels. It becomes
  /// the current one.
  std::shared_ptr<const Snapshot> get_compact();

  /// Reads a new one if the database has moved on; true if so. One thread at a time does that, and
  /// get() does not wait for it. On failure the old one stays.
  /// @throws Error as MirroredDatabase::moved() and read_snapshot().
  /// `changed`: as MirroredDatabase::next_snapshot().
  bool refresh(std::span<const Xapian::docid> changed = {});

  /// True if refresh() costs what the documents cost that changed.
  bool is_followed();

  /// What a thread does that follows the database: refresh(), and a saved mirror if the settings
  /// say so. Errors as refresh() and save().
  void follow();

  /// Saves the mirror when the database is closed, if the settings say so. Errors go to the log.
  void close() noexcept;

  /// Saves the current one's mirror. @throws Error as MirroredDatabase::save().
  std::string save();

 private:
  void replace(std::shared_ptr<const Snapshot> fresh);
  void tell(const Snapshot& fresh) const;

  MirroredDatabase& database_;
  const Log log_;
  std::mutex refresh_mutex_;
  mutable std::mutex mutex_;  // held to copy or swap the pointer only
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace kindred
