#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/row_set.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {

/// For each of some rows, other rows that must not vote on it while methods are measured: they
/// tell more about it than documents tell about one that comes later.
using Companions = std::vector<std::vector<std::uint32_t>>;

/// The near-duplicates of each row, and what seems to be of one thread or source with it: of the 64
/// voters that are most similar to it, by the snapshot's own weighting, those whose similarity is
/// at least 0.6, and those of at least 0.3 that stand at most 32 rows before or after it.
Companions companions_of(const Snapshot& snapshot, std::span<const std::uint32_t> rows,
                         const RowSet& voters);

}  // namespace kindred
