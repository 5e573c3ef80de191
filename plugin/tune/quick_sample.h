#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "config/settings.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/votes/tuning/tune_request.h"

namespace kindred {

/// The documents that a quick tuning looks at, as if there were no others, and their mirror.
class QuickSample {
 public:
  QuickSample(const Snapshot& snapshot, const Settings& settings, const RowSet& voters,
              const TuneRequest& request);

  const Snapshot& snapshot() const { return snapshot_; }

  /// Those of the groups' rows that are part of it, by their new numbers.
  std::vector<std::vector<std::uint32_t>> groups(
      std::span<const std::vector<std::uint32_t>> groups) const;

 private:
  const std::vector<std::uint32_t> rows_;
  const Snapshot snapshot_;
};

}  // namespace kindred
