// A neighbor's key is a number that is the larger, the better the neighbor is: above the bits of
// its similarity, which is not negative, below the complement of its row. The key of {kNoRow, 0} is
// 0. Keys are compared without a branch that depends on them.
#include "gpu/knn/neighbor_merger.h"

#include <algorithm>
#include <bit>

namespace kindred {
namespace {

using Key = std::uint64_t;

// Of so many lists the best heads are taken one by one. Fewer lists, and more, are merged two by
// two.
constexpr std::size_t kFewestHeads = 5, kMostHeads = 16;

Key key_of(float similarity, std::uint32_t row) {
  const Key bits = std::bit_cast<std::uint32_t>(similarity);
  return bits << 32 | (bits == 0 ? 0 : ~row);
}

Neighbor neighbor_of(Key key) {
  return {~static_cast<std::uint32_t>(key),
          std::bit_cast<float>(static_cast<std::uint32_t>(key >> 32))};
}

/// Writes the keys of a shard's neighbors.
void write_keys(std::span<const Neighbor> neighbors, const ShardRows& rows, Key* to) {
  if (rows.stand_together()) {
    const std::uint32_t first = rows.number_of(0);
    for (const Neighbor& neighbor : neighbors)
      *to++ = key_of(neighbor.similarity, first + neighbor.row);
  } else {
    for (const Neighbor& neighbor : neighbors)
      *to++ = key_of(neighbor.similarity, rows.number_of(neighbor.row));
  }
}

/// The key of the first neighbor, which is taken off; 0 if there is none.
Key take_head(ShardNeighbors& list) {
  if (list.neighbors.empty() || list.neighbors[0].row == Neighbor::kNoRow) return 0;
  const Neighbor first = list.neighbors[0];
  list.neighbors = list.neighbors.subspan(1);
  return key_of(first.similarity, list.rows->number_of(first.row));
}

/// Merges two runs into `to`, which has room for `room` keys; what is beyond is left out. Returns
/// the end of what was written.
Key* merge_runs(std::span<const Key> left, std::span<const Key> right, std::size_t room, Key* to) {
  const Key *a = left.data(), *b = right.data();
  const Key *const a_end = a + left.size(), *const b_end = b + right.size();
  Key* const end = to + std::min(room, left.size() + right.size());
  while (to < end && a < a_end && b < b_end) {
    // So many steps reach the end of neither run.
    for (std::ptrdiff_t steps = std::min({end - to, a_end - a, b_end - b}); steps > 0; --steps) {
      const Key x = *a, y = *b;
      const bool takes_left = x > y;
      *to++ = takes_left ? x : y;
      a += takes_left;
      b += !takes_left;
    }
  }
  to = std::copy_n(a, std::min(end - to, a_end - a), to);
  return std::copy_n(b, std::min(end - to, b_end - b), to);
}

}  // namespace

/// Makes a run of each list.
void NeighborMerger::gather(std::span<const ShardNeighbors> lists) {
  std::size_t all = 0;
  for (const ShardNeighbors& list : lists) all += list.neighbors.size();
  if (keys_[0].size() < all)
    for (std::vector<Key>& keys : keys_) keys.resize(all);
  runs_.clear();
  Key* to = keys_[0].data();
  for (const ShardNeighbors& list : lists) {
    if (list.rows->size() == 0) continue;
    write_keys(list.neighbors, *list.rows, to);
    runs_.emplace_back(to, list.neighbors.size());
    to += list.neighbors.size();
  }
}

/// Takes the best head of all lists again and again.
void NeighborMerger::take_heads(std::span<const ShardNeighbors> lists, std::span<Neighbor> merged) {
  heads_.clear();
  rest_.clear();
  for (const ShardNeighbors& list : lists) {
    if (list.rows->size() == 0) continue;
    rest_.push_back(list);
    heads_.push_back(take_head(rest_.back()));
  }
  const std::size_t size = heads_.size();
  auto to = merged.begin();
  for (; to != merged.end() && size > 0; ++to) {
    Key best = heads_[0];
    std::size_t at = 0;
    for (std::size_t i = 1; i < size; ++i) {
      const bool is_better = heads_[i] > best;
      best = is_better ? heads_[i] : best;
      at = is_better ? i : at;
    }
    if (best == 0) break;
    *to = neighbor_of(best);
    heads_[at] = take_head(rest_[at]);
  }
  std::fill(to, merged.end(), Neighbor{});
}

void NeighborMerger::merge(std::span<const ShardNeighbors> lists, std::span<Neighbor> merged) {
  if (lists.size() >= kFewestHeads && lists.size() <= kMostHeads) return take_heads(lists, merged);
  gather(lists);
  for (unsigned turn = 1; runs_.size() > 1; turn ^= 1) {
    Key* to = keys_[turn].data();
    std::size_t made = 0;
    for (std::size_t i = 0; i < runs_.size(); i += 2) {
      const Run other = i + 1 < runs_.size() ? runs_[i + 1] : Run();
      Key* const end = merge_runs(runs_[i], other, merged.size(), to);
      runs_[made++] = {to, end};
      to = end;
    }
    runs_.resize(made);
  }
  const Run best = runs_.empty() ? Run() : runs_[0].first(std::min(runs_[0].size(), merged.size()));
  const auto end = std::transform(best.begin(), best.end(), merged.begin(), neighbor_of);
  std::fill(end, merged.end(), Neighbor{});
}

}  // namespace kindred
