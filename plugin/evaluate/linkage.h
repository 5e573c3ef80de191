#pragma once

#include <cstddef>
#include <vector>

#include "config/api.h"

namespace kindred {

/// Two clusters that become one.
struct ClusterMerge {
  std::size_t first = 0;   ///< the one with the lowest item
  std::size_t second = 0;  ///< the other
  double distance = 0;     ///< mean over all pairs of items, one of each
};

/// Clusters items by average linkage (UPGMA, Sokal and Michener 1958): again and again, the two
/// nearest clusters become one. Clusters are numbered: first the n items, then merge i makes
/// cluster n + i. There are n - 1 merges, their distances ascending but for rounding. Ties go to
/// the clusters with the lowest items. It takes time in n^3.
/// @param distances [n][n], symmetric. The diagonal is not read. NaN stands for the largest one.
KINDRED_API std::vector<ClusterMerge> average_linkage(std::vector<std::vector<double>> distances);

/// The items in an order in which no branches of the tree of merges cross.
/// @param items their number, n; there are n - 1 merges, or none.
KINDRED_API std::vector<std::size_t> leaf_order(const std::vector<ClusterMerge>& merges,
                                                std::size_t items);

}  // namespace kindred
