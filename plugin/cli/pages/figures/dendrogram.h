#pragma once

#include <string>
#include <vector>

#include "plugin/evaluate/linkage.h"

namespace kindred::cli {

/// The tree of merges as an SVG in a box that scrolls, with the labels on the left.
/// @param labels the items, at least two.
/// @param order as leaf_order() gives it.
/// @param axis what the distances are.
std::string dendrogram(const std::vector<std::string>& labels,
                       const std::vector<ClusterMerge>& merges,
                       const std::vector<std::size_t>& order, const std::string& axis);

}  // namespace kindred::cli
