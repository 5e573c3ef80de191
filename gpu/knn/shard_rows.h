#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/row_set.h"

namespace kindred {

/// The rows of a mirror that a shard of it has. Their order is that of the mirror, so rows that tie
/// in a shard tie the same way in the mirror.
class ShardRows {
 public:
  std::uint32_t size() const { return size_; }

  /// Takes `count` rows more, from `number` on, which is past all that it has.
  void append(std::uint32_t number, std::uint32_t count);

  /// True if its rows follow each other in the mirror without a gap, and there are any.
  bool stand_together() const { return runs_.size() == 1; }

  /// The number that row `own` of the shard, below size(), has in the mirror.
  std::uint32_t number_of(std::uint32_t own) const {
    if (stand_together()) return runs_[0].number + own;
    return find_number(own);
  }

  /// The row of the shard that has this number in the mirror, or kNone.
  std::uint32_t find(std::uint32_t number) const;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Those of `rows`, by their numbers in the shard. Covers all of the shard.
  RowSet part_of(const RowSet& rows) const;

 private:
  /// Rows that stand together in the mirror.
  struct Run {
    std::uint32_t number, own, count;
  };
  std::uint32_t find_number(std::uint32_t own) const;

  std::vector<Run> runs_;
  std::uint32_t size_ = 0;
};

/// Cuts rows into `parts` shares of consecutive rows, some of which may be empty, so that the
/// costliest share costs as little as possible, and the others about the same as each other.
/// `cost[i]` is that of row i. Returns the first row of each share and the number of rows:
/// [parts + 1].
std::vector<std::uint32_t> share_rows(std::span<const std::uint32_t> cost, std::uint32_t parts);

/// The cost of the costliest of shares.
std::uint64_t largest_share(std::span<const std::uint32_t> cost,
                            std::span<const std::uint32_t> begin);

}  // namespace kindred
