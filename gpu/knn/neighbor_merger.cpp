// A neighbor's key is a number that is the larger, the better the neighbor is: above the bits of
// its similarity, which is not negative, below the complement of its row. The key of {kNoRow, 0} is
// 0. Runs of keys are merged two by two, without a branch that depends on the keys.
#include "gpu/knn/neighbor_merger.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace kindred {
namespace {

using Key = std::uint64_t;

// To look for the neighbors that may be among the best pays with more lists than these, and at
// least so many of each.
constexpr std::size_t kFewLists = 4, kManyOfEach = 32;

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

/// How many of the neighbors are at least that similar.
std::size_t count_from(std::span<const Neighbor> neighbors, float similarity) {
  const Neighbor* first = neighbors.data();
  for (std::size_t left = neighbors.size(); left > 0;) {
    const std::size_t half = (left + 1) / 2;
    first += first[half - 1].similarity >= similarity ? half : 0;
    left -= half;
  }
  return static_cast<std::size_t>(first - neighbors.data());
}

/// A similarity that so many neighbors of all lists reach: each list has its share of them.
float reached_by(std::span<const ShardNeighbors> lists, std::size_t wanted) {
  const std::size_t share = (wanted + lists.size() - 1) / lists.size();
  float least = std::numeric_limits<float>::infinity();
  for (const ShardNeighbors& list : lists) {
    if (list.neighbors.size() < share) return 0;
    least = std::min(least, list.neighbors[share - 1].similarity);
  }
  return least;
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

/// Makes a run of each list, of those neighbors that may be among the best.
void NeighborMerger::gather(std::span<const ShardNeighbors> lists, std::size_t wanted) {
  std::size_t all = 0;
  for (const ShardNeighbors& list : lists) all += list.neighbors.size();
  if (keys_[0].size() < all)
    for (std::vector<Key>& keys : keys_) keys.resize(all);
  const bool is_worth_it = lists.size() > kFewLists && wanted >= kManyOfEach * lists.size();
  const float least = is_worth_it ? reached_by(lists, wanted) : 0;
  runs_.clear();
  Key* to = keys_[0].data();
  for (const ShardNeighbors& list : lists) {
    if (list.rows->size() == 0) continue;
    const std::size_t count = least > 0 ? count_from(list.neighbors, least) : list.neighbors.size();
    write_keys(list.neighbors.first(count), *list.rows, to);
    runs_.emplace_back(to, count);
    to += count;
  }
}

void NeighborMerger::merge(std::span<const ShardNeighbors> lists, std::span<Neighbor> merged) {
  gather(lists, merged.size());
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
