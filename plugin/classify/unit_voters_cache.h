#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "plugin/classify/unit_voters.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/topics/map.h"

namespace kindred {

/// Places the voters of a snapshot on a map when they are first asked for, and keeps them until
/// they are asked for with another snapshot or map. Any number of threads may call it.
class UnitVotersCache {
 public:
  /// The result may be used as long as the snapshot, which is borrowed.
  /// @throws Error as UnitVoters.
  std::shared_ptr<const UnitVoters> get(const std::shared_ptr<const Snapshot>& snapshot,
                                        const std::shared_ptr<const TopicMap>& map);

  /// The main memory that the voters of a snapshot take; 0 if they were not asked for yet.
  std::size_t bytes(const std::shared_ptr<const Snapshot>& snapshot) const;

 private:
  mutable std::mutex mutex_;
  std::weak_ptr<const Snapshot> snapshot_;  // of voters_
  std::weak_ptr<const TopicMap> map_;
  std::shared_ptr<const UnitVoters> voters_;
};

}  // namespace kindred
