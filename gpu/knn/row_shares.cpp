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

  // A row that does not fit begins the next share. One share too many is enough to know that it
  // fails.
  for (std::uint32_t row = 0; row < cost.size() && begin.size() <= parts; ++row) {
    if (own + cost[row] > most) {
      begin.push_back(row);
      own = 0;
    }
    own += cost[row];
  }
  return begin;
}

/// For each row, and for the end, into how few shares of at most `most` each the rows from it on
/// can be cut. No row costs more.
std::vector<std::uint32_t> fewest_shares(std::span<const std::uint32_t> cost, std::uint64_t most) {
  std::vector<std::uint32_t> fewest(cost.size() + 1);
  std::uint64_t own = 0;

  // Rows are taken from the last to the first. `end` is the end of the longest share that begins
  // with `row`, and moves back with it.
  std::size_t end = cost.size();
  for (std::size_t rows = end; rows > 0; --rows) {
    const std::size_t row = rows - 1;
    own += cost[row];
    while (own > most) {
      --end;
      own -= cost[end];
    }
    fewest[row] = fewest[end] + 1;
  }
  return fewest;
}

/// The first rows of `parts` shares that cost at most `most` each, if that can be. A share ends
/// where it has its part of what is left, unless the rows after it would need more shares than are
/// left.
std::vector<std::uint32_t> cut_evenly(std::span<const std::uint32_t> cost, std::uint64_t most,
                                      std::uint32_t parts) {
  const std::vector<std::uint32_t> fewest = fewest_shares(cost, most);
  std::uint64_t left = std::accumulate(cost.begin(), cost.end(), std::uint64_t{0});
  std::vector<std::uint32_t> begin{0};

  std::uint32_t row = 0;
  for (std::uint32_t shares = parts; shares > 0; --shares) {
    // The mean of what is left, rounded up. A share ends before a row if the row would bring it
    // further above that mean than it is below it now.
    const std::uint64_t fair = (left + shares - 1) / shares;
    std::uint64_t own = 0;
    for (const std::uint32_t first = row; row < cost.size() && own + cost[row] <= most; ++row) {
      const bool has_enough = row > first && 2 * own + cost[row] > 2 * fair;
      if (has_enough && fewest[row] < shares) break;
      own += cost[row];
    }

    left -= own;
    begin.push_back(row);
  }
  return begin;
}

}  // namespace

std::vector<std::uint32_t> share_rows(std::span<const std::uint32_t> cost, std::uint32_t parts) {
  // Looks for the least cost of the costliest share, by halving. It is at least the largest row,
  // and at least the mean.
  const std::uint64_t all = std::accumulate(cost.begin(), cost.end(), std::uint64_t{0});
  std::uint64_t largest = 0;
  for (const std::uint32_t each : cost) largest = std::max<std::uint64_t>(largest, each);
  std::uint64_t low = std::max(largest, (all + parts - 1) / parts);
  std::uint64_t high = std::max(all, low);

  // As long as `middle` is enough, less may be.
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (cut(cost, middle, parts).size() <= parts)
      high = middle;
    else
      low = middle + 1;
  }

  // The greedy cut shows that `low` is enough, but leaves the last shares short or empty.
  return cut_evenly(cost, low, parts);
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
