#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/row_set.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/tune/cross_fit/drift.h"

namespace kindred {

/// Of a row, other rows that tell more about it than documents tell about one that comes later.
struct Companions {
  std::vector<std::uint32_t> rows;
  bool is_repeated = false;  ///< a near-duplicate stands before it
};

/// The near-duplicates of each row, and what seems to be of one thread or source with it: of the 64
/// voters that are most similar to it, by the snapshot's own weighting, those whose similarity is
/// at least 0.6, and those of at least 0.3 whose docids are at most 32 before or after its own. The
/// others of the 64 are added to `drift`.
std::vector<Companions> companions_of(const Snapshot& snapshot, std::span<const std::uint32_t> rows,
                                      const RowSet& voters, DriftMeasure& drift);

}  // namespace kindred
