#pragma once

#include "gpu/cuda/search_block.cuh"

// From candidates to neighbors: exact sums of the few documents that may be among the best, and
// their ranks. A warp works on several documents at a time, since the latency of their entries is
// the cost.

namespace kindred::cuda {

/// The work of one warp: the exact sums of up to kTogether candidates. Their entries that the query
/// may have are listed first and worked on together: they are few.
class WarpSums {
 public:
  __device__ WarpSums(const Block& block, const MirrorView& mirror, const Query& query)
      : block_(block),
        mirror_(mirror),
        query_(query),
        lane_(threadIdx.x % 32),
        list_(block.finish()),
        shared_(list_.shared[threadIdx.x / 32]),
        piece_(list_.piece[threadIdx.x / 32]) {}

  /// Candidates first, first + kWarps, ..: writes their sums to their places.
  __device__ void add(std::uint32_t first, std::uint32_t end) {
    first_ = first;
    listed_ = 0;
    sum_ = 0;
    if (lane_ < 3 * kTogether) piece_[lane_] = 0;
    const std::uint32_t n = min((end - first + kWarps - 1) / kWarps, kTogether);
    Row row = find(0);
    Terms terms = load(row, 0);
    for (std::uint32_t number = 0; number < n; ++number) {
      const Row own = row;
      const Terms now = terms;
      if (number + 1 < n) row = find(number + 1), terms = load(row, 0);  // on their way meanwhile
      list(own, number, now, 0);
      for (std::uint32_t begin = 32 * kAhead; begin < own.size; begin += 32 * kAhead)
        list(own, number, load(own, begin), begin);
    }
    work();
    if (lane_ < n) list_.place[first + lane_ * kWarps].packed = sum_;
    __syncwarp();
  }

 private:
  struct Row {
    const std::uint32_t* column;
    std::uint32_t size;
  };
  struct Terms {
    std::uint32_t term[kAhead];
  };

  __device__ Row find(std::uint32_t number) const {
    const std::uint32_t i = first_ + number * kWarps;
    const RowPlace place = list_.place[i];
    return {part_of(i).column + place.begin(), place.size()};
  }

  /// Entries begin .. of a row; past its end, the last one again.
  __device__ Terms load(const Row& row, std::uint32_t begin) const {
    Terms terms;
#pragma unroll
    for (unsigned j = 0; j < kAhead; ++j)
      terms.term[j] =
          row.size == 0 ? 0 : __ldg(row.column + min(begin + 32 * j + lane_, row.size - 1));
    return terms;
  }

  __device__ void list(const Row& row, std::uint32_t number, const Terms& terms,
                       std::uint32_t begin) {
#pragma unroll
    for (unsigned j = 0; j < kAhead; ++j) {
      const std::uint32_t entry = begin + 32 * j + lane_;
      const bool is_in = may_have(block_.fixed, terms.term[j]) & (entry < row.size);
      const unsigned all = __ballot_sync(kWhole, is_in);
      if (is_in) shared_[listed_ + __popc(all & ((1u << lane_) - 1))] = number << 24 | entry;
      listed_ += __popc(all);
    }
    if (listed_ > kShared - 32 * kAhead) work();
  }

  /// Adds the contributions of the listed entries, a lane each, and empties the list. Sums are
  /// kept in three pieces of 21 bits, since shared memory adds 32 bits in one instruction.
  __device__ void work() {
    constexpr unsigned kBits = 21, kMask = (1u << kBits) - 1;
    __syncwarp();
    for (std::uint32_t i = lane_; i < listed_; i += 32) {
      const std::uint32_t listed = shared_[i];
      const auto value = static_cast<std::uint64_t>(score(listed));
      std::uint32_t* const piece = piece_ + (listed >> 24) * 3;
      atomicAdd(piece, static_cast<std::uint32_t>(value) & kMask);
      atomicAdd(piece + 1, static_cast<std::uint32_t>(value >> kBits) & kMask);
      atomicAdd(piece + 2, static_cast<std::uint32_t>(value >> 2 * kBits));
    }
    listed_ = 0;
    __syncwarp();
    if (lane_ >= kTogether) return;
    std::uint32_t* const piece = piece_ + lane_ * 3;
    sum_ += piece[0] + (std::uint64_t{piece[1]} << kBits) + (std::uint64_t{piece[2]} << 2 * kBits);
    piece[0] = piece[1] = piece[2] = 0;
  }

  __device__ std::int64_t score(std::uint32_t listed) const {
    const std::uint32_t i = first_ + (listed >> 24) * kWarps;
    const PartView part = part_of(i);
    const std::uint64_t at = list_.place[i].begin() + (listed & 0xFFFFFF);
    const std::uint32_t count = __ldg(part.count + at);
    const double factor = find_factor(query_, __ldg(part.column + at));
    if (count >= mirror_.tf_size) return 0;  // a dead row's
    return contribution(factor, count < kCountsInside ? block_.fixed.tf[count] : mirror_.tf[count]);
  }

  __device__ PartView part_of(std::uint32_t i) const {
    return mirror_.part_of(static_cast<std::uint32_t>(block_.candidates()[i]));
  }

  const Block& block_;
  const MirrorView& mirror_;
  const Query& query_;
  const unsigned lane_;
  FinishList& list_;
  std::uint32_t* const shared_;
  std::uint32_t* const piece_;
  std::uint64_t sum_ = 0;  // of candidate number `lane`
  std::uint32_t first_ = 0, listed_ = 0;
};

/// The row of a candidate, which is a slot of `tile`, or, where that is null, a row.
inline __device__ std::uint32_t row_of_candidate(const TileView* tile, Key candidate) {
  const auto number = static_cast<std::uint32_t>(candidate);
  return tile == nullptr ? number : tile->row_of[number];
}

inline __device__ RowPlace find_place(const MirrorView& mirror, std::uint32_t row) {
  const PartView part = mirror.part_of(row);
  return RowPlace::make(part.row_begin, row - part.first_row);
}

/// The key of a row whose contributions add up to `sum`, if it may answer.
inline __device__ Key finished_key(const MirrorView& mirror, const Query& query, std::uint32_t row,
                                   std::int64_t sum) {
  const Key key = make_key(similarity(sum, mirror.reciprocal[row]), row);
  return key > query.after ? key : kNoKey;
}

/// Turns candidates into keys: a warp some for their sums, a thread each for the rest. Needs the
/// place of the accumulators, and leaves it in disorder.
inline __device__ void finish_together(const Block& block, const MirrorView& mirror,
                                       const TileView* tile, const Query& query) {
  Key* candidate = block.candidates();
  FinishList& list = block.finish();
  const std::uint32_t n = block.fixed.found;
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) {
    const std::uint32_t row = row_of_candidate(tile, candidate[i]);
    candidate[i] = row;
    list.place[i] = find_place(mirror, row);
  }
  __syncthreads();
  WarpSums sums(block, mirror, query);
  for (std::uint32_t i = threadIdx.x / 32; i < n; i += kWarps * kTogether) sums.add(i, n);
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads)
    candidate[i] = finished_key(mirror, query, static_cast<std::uint32_t>(candidate[i]),
                                static_cast<std::int64_t>(list.place[i].packed));
}

/// As above, a thread a candidate: slower, but the accumulators stay.
inline __device__ void finish_one_by_one(const Block& block, const MirrorView& mirror,
                                         const TileView* tile, const Query& query) {
  for (std::uint32_t i = threadIdx.x; i < block.fixed.found; i += kThreads) {
    const std::uint32_t row = row_of_candidate(tile, block.candidates()[i]);
    const PartView part = mirror.part_of(row);
    const std::uint64_t end = part.row_begin[row - part.first_row + 1];
    std::int64_t sum = 0;
    for (std::uint64_t at = part.row_begin[row - part.first_row]; at < end; ++at) {
      const std::uint32_t term = __ldg(part.column + at);
      if (!may_have(block.fixed, term)) continue;
      const std::uint32_t count = __ldg(part.count + at);
      if (count < mirror.tf_size) sum += contribution(find_factor(query, term), mirror.tf[count]);
    }
    block.candidates()[i] = finished_key(mirror, query, row, sum);
  }
}

/// Sorts n keys in place; room for the next power of two is used.
inline __device__ void sort_keys(Key* keys, std::uint32_t n) {
  std::uint32_t size = 2;
  while (size < n) size *= 2;
  for (std::uint32_t i = n + threadIdx.x; i < size; i += kThreads) keys[i] = kNoKey;
  for (std::uint32_t width = 2; width <= size; width *= 2)
    for (std::uint32_t stride = width / 2; stride > 0; stride /= 2) {
      __syncthreads();
      for (std::uint32_t i = threadIdx.x; i < size / 2; i += kThreads) {
        const std::uint32_t a = i / stride * 2 * stride + i % stride, b = a + stride;
        const bool ascends = (a & width) == 0;
        const Key low = min(keys[a], keys[b]), high = max(keys[a], keys[b]);
        keys[a] = ascends ? low : high;
        keys[b] = ascends ? high : low;
      }
    }
  __syncthreads();
}

/// Keys that rank_keys() can order; with more, sort_keys() has room to work.
inline constexpr std::uint32_t kMaxRanked = 2 * kThreads;

/// Ranks n <= kMaxRanked keys by counting those before each; equal ones (kNoKey) share a rank.
inline __device__ void rank_keys(Key* keys, std::uint32_t n, std::uint32_t k) {
  const std::uint32_t second = threadIdx.x + kThreads;
  const Key own = threadIdx.x < n ? keys[threadIdx.x] : kNoKey;
  const Key other = second < n ? keys[second] : kNoKey;
  std::uint32_t rank = 0, other_rank = 0;
  if (own != kNoKey || other != kNoKey)
    for (std::uint32_t i = 0; i < n; ++i) {
      const Key key = keys[i];
      rank += key < own ? 1 : 0;
      other_rank += key < other ? 1 : 0;
    }
  __syncthreads();
  if (own != kNoKey && rank < k) keys[rank] = own;
  if (other != kNoKey && other_rank < k) keys[other_rank] = other;
  __syncthreads();
}

/// Takes the finished candidates among the best k, empties their list and raises the threshold.
inline __device__ void merge_candidates(const Block& block) {
  const std::uint32_t n = block.k + block.fixed.found;
  if (n <= kMaxRanked)
    rank_keys(block.keys, n, block.k);
  else
    sort_keys(block.keys, n);
  if (threadIdx.x == 0) {
    block.fixed.found = 0;
    const Key last = block.keys[block.k - 1];
    if (last != kNoKey)
      block.fixed.threshold = max(block.fixed.threshold, __float_as_uint(similarity_of(last)));
  }
  __syncthreads();
}

/// How candidates are finished: `finish` is one of the two functions above.
using Finish = void (*)(const Block&, const MirrorView&, const TileView*, const Query&);

/// Finishes and merges the candidates if there are more than `most`.
template <Finish finish>
__device__ void finish_and_merge(const Block& block, const MirrorView& mirror, const TileView* tile,
                                 const Query& query, std::uint32_t most = 0) {
  __syncthreads();
  const std::uint32_t found = block.fixed.found;
  __syncthreads();  // all have read it before anyone pushes again
  if (found <= most) return;
  finish(block, mirror, tile, query);
  __syncthreads();
  merge_candidates(block);
}

/// Does so if another step of the whole block might not find room.
template <Finish finish>
__device__ void make_room(const Block& block, const MirrorView& mirror, const TileView* tile,
                          const Query& query) {
  finish_and_merge<finish>(block, mirror, tile, query, kCandidates - kThreads);
}

inline __device__ void push_key(const Block& block, Key key) {
  const std::uint32_t i = atomicAdd(&block.fixed.found, 1u);
  if (i < kCandidates) block.candidates()[i] = key;
}

}  // namespace kindred::cuda
