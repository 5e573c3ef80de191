#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "config/pulse.h"
#include "gpu/knn/backend.h"

namespace kindred {

class Snapshot;

/// A result, and the results that are folded under it, in the order of the ranking.
struct FoldedNeighbors {
  Neighbor first;
  std::vector<Neighbor> folded;
};

/// Gives the first `count` neighbors of a ranking, or all if there are fewer.
using NeighborRanking = std::function<std::vector<Neighbor>(std::size_t count)>;

/// Folds near-duplicates in a ranking: neighbors that pairs of at least this similarity connect are
/// one result (single linkage), and the best of them stands for all. At most `k` results. The
/// ranking is read until the next neighbor would be one result more, and never beyond
/// 16 k + 1,000 neighbors. So there may be fewer than k results though the ranking goes on, if that
/// many are folded.
std::vector<FoldedNeighbors> fold_near_duplicates(const Snapshot& snapshot,
                                                  const NeighborRanking& ranking, double threshold,
                                                  std::size_t k, const Pulse& pulse);

}  // namespace kindred
