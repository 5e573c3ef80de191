#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/knn/backend.h"
#include "gpu/knn/shard_rows.h"

namespace kindred {

/// What a shard found for a query, as Backend::nearest() orders it, and which rows the shard has.
/// Borrows both.
struct ShardNeighbors {
  std::span<const Neighbor> neighbors;
  const ShardRows* rows;
};

/// Merges what shards found for one query after the other. Keeps its memory from query to query;
/// one thread at a time may use it.
class NeighborMerger {
 public:
  /// Writes the best neighbors of all lists to `merged`, by their numbers in the mirror:
  /// similarity descending, then row ascending. If there are too few, the rest is {kNoRow, 0}.
  void merge(std::span<const ShardNeighbors> lists, std::span<Neighbor> merged);

 private:
  /// Keys of neighbors, descending.
  using Run = std::span<const std::uint64_t>;

  void take_heads(std::span<const ShardNeighbors> lists, std::span<Neighbor> merged);
  void gather(std::span<const ShardNeighbors> lists);

  std::vector<std::uint64_t> keys_[2];  ///< runs of one round and of the next
  std::vector<Run> runs_;
  std::vector<std::uint64_t> heads_;  ///< the key of the next neighbor of each list; 0: none
  std::vector<ShardNeighbors> rest_;  ///< what is behind it
};

}  // namespace kindred
