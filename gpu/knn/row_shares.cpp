#include "gpu/knn/row_shares.h"

#include <algorithm>
#include <numeric>

namespace kindred {
namespace {

/// The first rows of shares that cost at most `most` each, as far as `parts` of them go.
std::vector<std::uint32_t> cut(std::span<const std::uint32_t> cost, std::uint64_t most,
                               std::uint32_t parts) {
  std::vector<std::uint32_t> begin{0};
  std::uint64_t own = 0;
  for (std::uint32_t row = 0; row < cost.size() && begin.size() <= parts; ++row) {
    if (own + cost[row] > most) begin.push_back(row), own = 0;
    own += cost[row];
  }
  return begin;
}

}  // namespace

std::vector<std::uint32_t> share_rows(std::span<const std::uint32_t> cost, std::uint32_t parts) {
  const std::uint64_t all = std::accumulate(cost.begin(), cost.end(), std::uint64_t{0});
  const std::uint64_t largest = cost.empty() ? 0 : *std::max_element(cost.begin(), cost.end());
  std::uint64_t low = std::max(largest, (all + parts - 1) / parts), high = std::max(all, low);
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (cut(cost, middle, parts).size() <= parts)
      high = middle;
    else
      low = middle + 1;
  }
  std::vector<std::uint32_t> begin = cut(cost, low, parts);
  begin.resize(std::size_t{parts} + 1, static_cast<std::uint32_t>(cost.size()));
  return begin;
}

std::uint64_t largest_share(std::span<const std::uint32_t> cost,
                            std::span<const std::uint32_t> begin) {
  std::uint64_t largest = 0;
  for (std::size_t share = 0; share + 1 < begin.size(); ++share)
    largest = std::max(largest, std::accumulate(cost.begin() + begin[share],
                                                cost.begin() + begin[share + 1], std::uint64_t{0}));
  return largest;
}

}  // namespace kindred
