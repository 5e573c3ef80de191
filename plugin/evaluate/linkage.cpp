#include "plugin/evaluate/linkage.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace kindred {
namespace {

void replace_unknown_distances(std::vector<std::vector<double>>& distances) {
  double most = 0;
  for (const auto& row : distances)
    for (const double distance : row) most = std::max(most, std::isnan(distance) ? 0 : distance);
  for (auto& row : distances)
    for (double& distance : row) distance = std::isnan(distance) ? most : distance;
}

/// The clusters that are left: each is kept in the row of its lowest item.
class Clusters {
 public:
  explicit Clusters(std::vector<std::vector<double>> distances)
      : distances_(std::move(distances)), number_(distances_.size()), size_(distances_.size(), 1) {
    std::iota(number_.begin(), number_.end(), std::size_t{0});
    rows_ = number_;
  }

  std::size_t count() const { return rows_.size(); }

  /// Merges the nearest two into the cluster `made`.
  ClusterMerge merge_nearest(std::size_t made) {
    std::pair<std::size_t, std::size_t> best;  // places in rows_
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (std::size_t j = i + 1; j < rows_.size(); ++j) {
        const double distance = distances_[rows_[i]][rows_[j]];
        if (distance < least) {
          least = distance;
          best = {i, j};
        }
      }
    }
    const std::size_t a = rows_[best.first], b = rows_[best.second];
    const ClusterMerge merge{number_[a], number_[b], least};
    rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(best.second));
    join(a, b);
    number_[a] = made;
    return merge;
  }

 private:
  void join(std::size_t a, std::size_t b) {
    const auto size_a = static_cast<double>(size_[a]), size_b = static_cast<double>(size_[b]);
    for (const std::size_t row : rows_) {
      const double mean =
          (size_a * distances_[a][row] + size_b * distances_[b][row]) / (size_a + size_b);
      distances_[a][row] = distances_[row][a] = mean;
    }
    size_[a] += size_[b];
  }

  std::vector<std::vector<double>> distances_;
  std::vector<std::size_t> number_;  // of the cluster in a row
  std::vector<std::size_t> size_;
  std::vector<std::size_t> rows_;  // that hold a cluster, ascending
};

}  // namespace

std::vector<ClusterMerge> average_linkage(std::vector<std::vector<double>> distances) {
  const std::size_t items = distances.size();
  replace_unknown_distances(distances);
  Clusters clusters(std::move(distances));
  std::vector<ClusterMerge> merges;
  while (clusters.count() > 1) merges.push_back(clusters.merge_nearest(items + merges.size()));
  return merges;
}

std::vector<std::size_t> leaf_order(const std::vector<ClusterMerge>& merges, std::size_t items) {
  std::vector<std::vector<std::size_t>> leaves(items + merges.size());
  for (std::size_t item = 0; item < items; ++item) leaves[item] = {item};
  for (std::size_t i = 0; i < merges.size(); ++i) {
    std::vector<std::size_t> joined = std::move(leaves[merges[i].first]);
    const auto& second = leaves[merges[i].second];
    joined.insert(joined.end(), second.begin(), second.end());
    leaves[items + i] = std::move(joined);
  }
  return leaves.empty() ? std::vector<std::size_t>() : leaves.back();
}

}  // namespace kindred
