#include "plugin/snapshot/current_snapshot.h"

#include <exception>
#include <string>
#include <utility>

namespace kindred {

CurrentSnapshot::CurrentSnapshot(MirroredDatabase& database, Log log)
    : database_(database), log_(std::move(log)), snapshot_(database.read_snapshot()) {
  tell(*snapshot_);
}

std::shared_ptr<const Snapshot> CurrentSnapshot::get() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

std::shared_ptr<const Snapshot> CurrentSnapshot::get_compact() {
  if (auto known = get(); known->mirror().is_compact()) return known;
  const std::lock_guard only(refresh_mutex_);
  const std::shared_ptr<const Snapshot> known = get();
  if (!known->mirror().is_compact()) replace(database_.compact_snapshot(*known));
  return get();
}

bool CurrentSnapshot::refresh(std::span<const Xapian::docid> changed) {
  const std::lock_guard only(refresh_mutex_);
  const std::shared_ptr<const Snapshot> known = get();
  if (!database_.moved(*known)) return false;
  std::shared_ptr<const Snapshot> fresh = database_.next_snapshot(*known, changed);
  replace(fresh);
  tell(*fresh);
  return true;
}

void CurrentSnapshot::replace(std::shared_ptr<const Snapshot> fresh) {
  const std::lock_guard lock(mutex_);
  snapshot_.swap(fresh);  // the old one is freed by the caller, not under the lock
}

bool CurrentSnapshot::is_followed() {
  const std::lock_guard only(refresh_mutex_);
  return database_.is_followed();
}

void CurrentSnapshot::follow() {
  refresh();
  const std::lock_guard only(refresh_mutex_);
  if (database_.should_save(*get(), false)) database_.save(*get());
}

void CurrentSnapshot::close() noexcept {
  try {
    const std::lock_guard only(refresh_mutex_);
    if (database_.should_save(*get(), true)) database_.save(*get());
  } catch (const std::exception& e) {
    if (log_) log_(std::string("the mirror was not saved: ") + e.what());
  }
}

std::string CurrentSnapshot::save() {
  const std::lock_guard only(refresh_mutex_);
  return database_.save(*get());
}

void CurrentSnapshot::tell(const Snapshot& fresh) const {
  if (!log_) return;
  log_(database_.name() + ": mirrored revision " + std::to_string(fresh.mirror().revision) + ", " +
       std::to_string(fresh.mirror().documents()) + " documents, on " +
       fresh.backend().info().device);
}

}  // namespace kindred
