#include "plugin/classify/unit_voters_cache.h"

namespace kindred {

std::shared_ptr<const UnitVoters> UnitVotersCache::get(
    const std::shared_ptr<const Snapshot>& snapshot, const std::shared_ptr<const TopicMap>& map) {
  const std::lock_guard lock(mutex_);
  if (voters_ != nullptr && snapshot_.lock() == snapshot && map_.lock() == map) return voters_;
  voters_ = nullptr;
  voters_ =
      std::make_shared<const UnitVoters>(snapshot->mirror(), map, snapshot->voting().threads());
  snapshot_ = snapshot;
  map_ = map;
  return voters_;
}

std::size_t UnitVotersCache::bytes(const std::shared_ptr<const Snapshot>& snapshot) const {
  const std::lock_guard lock(mutex_);
  return voters_ != nullptr && snapshot_.lock() == snapshot ? voters_->bytes() : 0;
}

}  // namespace kindred
