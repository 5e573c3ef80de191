#pragma once

#include "gpu/cuda/search_block.cuh"

// From candidates to neighbors: exact sums of the few documents that may be among the best, and
// their ranks. A warp works on several documents at a time, since the latency of their entries is
// the cost.

namespace kindred::cuda {

/// How the query's terms are told from others while candidates are finished: for a slot of a hash,
/// 0: the query has none of its terms; 1 .. kMostNumbered: it has one, its number from 1;
/// kUnnumbered: it may have several.
inline constexpr std::uint32_t kMostNumbered = 254, kUnnumbered = 255;

inline __device__ std::uint32_t term_slot(std::uint32_t term) {
  static_assert(kTermSlots == 1u << 13);
  return term * 0x9E3779B1u >> 19;
}

/// Numbers the query's terms; all threads of the block.
inline __device__ void number_terms(FinishList& list, const Query& query) {
  for (std::uint32_t i = threadIdx.x; i < kTermSlots / 16; i += kThreads)
    reinterpret_cast<uint4*>(list.number)[i] = {};
  __syncthreads();
  auto* const words = reinterpret_cast<std::uint32_t*>(list.number);
  for (std::uint32_t i = threadIdx.x; i < query.terms; i += kThreads) {
    const std::uint32_t slot = term_slot(query.term[i]), shift = slot % 4 * 8;
    const std::uint32_t number = i < kMostNumbered ? i + 1 : kUnnumbered;
    // Whoever comes second sees that a number is there; then all bits are set, and stay so.
    const std::uint32_t before = atomicOr(words + slot / 4, number << shift);
    if ((before >> shift & 0xFF) != 0) atomicOr(words + slot / 4, kUnnumbered << shift);
  }
  __syncthreads();
}

/// The factor of `term`, whose slot is not 0; 0 if the query lacks it.
inline __device__ double find_factor(const FinishList& list, const Query& query,
                                     std::uint32_t term) {
  const std::uint32_t number = list.number[term_slot(term)];
  if (number == kUnnumbered) return find_factor(query, term);
  return query.term[number - 1] == term ? query.factor[number - 1] : 0;
}

/// The work of one warp: the exact sums of up to kTogether candidates. Of their entries, four a
/// lane, those that the query may have are listed first and worked on together: they are few.
class WarpSums {
 public:
  __device__ WarpSums(const Block& block, const MirrorView& mirror)
      : block_(block),
        mirror_(mirror),
        lane_(threadIdx.x % 32),
        list_(block.finish()),
        shared_(list_.shared[threadIdx.x / 32]),
        piece_(list_.piece[threadIdx.x / 32]) {}

  /// Candidates first, first + kWarps, ..: writes their sums.
  __device__ void add(std::uint32_t first, std::uint32_t end) {
    first_ = first;
    listed_ = 0;
    sum_ = 0;
    const std::uint32_t n = min((end - first + kWarps - 1) / kWarps, kTogether);
    RowQuads row = list_.row[first];
    uint4 terms = load(row, lane_);
#pragma unroll 2
    for (std::uint32_t number = 0; number < n; ++number) {
      const RowQuads own = row;
      const uint4 now = terms;
      if (number + 1 < n) {  // on its way meanwhile
        row = list_.row[first + (number + 1) * kWarps];
        terms = load(row, lane_);
      }
      list(number, now, lane_);
      for (std::uint32_t quad = 32; quad < own.quads(); quad += 32)
        list(number, load(own, quad + lane_), quad + lane_);
    }
    work();
    if (lane_ < n) list_.sum[first + lane_ * kWarps] = sum_;
    __syncwarp();
  }

 private:
  static constexpr std::uint32_t kNoTerm = 0xFFFFFFFFu;

  static __device__ uint4 load(const RowQuads& row, std::uint32_t quad) {
    return quad < row.quads() ? __ldg(row.first() + quad)
                              : uint4{kNoTerm, kNoTerm, kNoTerm, kNoTerm};
  }

  /// Which of the four terms the query may have.
  __device__ std::uint32_t test(const uint4& terms) const {
    const auto bit = [&](std::uint32_t term, unsigned j) {
      return list_.number[term_slot(term)] != 0 ? 1u << j : 0u;
    };
    return bit(terms.x, 0) | bit(terms.y, 1) | bit(terms.z, 2) | bit(terms.w, 3);
  }

  __device__ void list(std::uint32_t number, const uint4& terms, std::uint32_t quad) {
    const std::uint32_t mask = test(terms);
    const unsigned all = __ballot_sync(kWhole, mask != 0);
    if (mask != 0)
      shared_[listed_ + __popc(all & ((1u << lane_) - 1))] = number << 28 | mask << 24 | quad;
    listed_ += __popc(all);
    if (listed_ > kShared - 32) work();
  }

  /// Adds the contributions of the listed entries, a lane each quad, and empties the list. Sums are
  /// kept in three pieces of 21 bits, since shared memory adds 32 bits in one instruction.
  __device__ void work() {
    constexpr unsigned kBits = 21, kMask = (1u << kBits) - 1;
    __syncwarp();
    constexpr std::uint32_t kQuads = sizeof(SumPiece[kTogether][3]) / sizeof(uint4);
    for (std::uint32_t i = lane_; i < kQuads; i += 32) reinterpret_cast<uint4*>(piece_)[i] = {};
    __syncwarp();
    for (std::uint32_t i = lane_; i < listed_; i += 32) {
      const std::uint32_t listed = shared_[i];
      const auto value = static_cast<std::uint64_t>(score(listed));
      SumPiece* const piece = piece_[listed >> 28];
      atomicAdd(&piece[0].own(), static_cast<std::uint32_t>(value) & kMask);
      atomicAdd(&piece[1].own(), static_cast<std::uint32_t>(value >> kBits) & kMask);
      atomicAdd(&piece[2].own(), static_cast<std::uint32_t>(value >> 2 * kBits));
    }
    listed_ = 0;
    __syncwarp();
    if (lane_ >= kTogether) return;
    const SumPiece* const piece = piece_[lane_];
    sum_ += piece[0].total() + (std::uint64_t{piece[1].total()} << kBits) +
            (std::uint64_t{piece[2].total()} << 2 * kBits);
  }

  __device__ std::int64_t score(std::uint32_t listed) const {
    const std::uint32_t i = first_ + (listed >> 28) * kWarps;
    const RowQuads row = list_.row[i];
    const PartView part = mirror_.part_of(static_cast<std::uint32_t>(block_.candidates()[i]));
    const std::uint32_t quad = (listed & 0xFFFFFF) * 4;
    const auto* const column = reinterpret_cast<const std::uint32_t*>(row.first()) + quad;
    const auto first = static_cast<std::uint64_t>(column - part.column);
    std::int64_t sum = 0;
    for (std::uint32_t mask = listed >> 24 & 0xF; mask != 0; mask &= mask - 1) {
      const std::uint32_t j = __ffs(static_cast<int>(mask)) - 1;
      if (!row.has(quad + j)) continue;
      const std::uint32_t count = part.count_of(first + j);
      const double factor = find_factor(list_, block_.fixed.query, __ldg(column + j));
      if (count < mirror_.tf_size)  // else a dead row's
        sum += contribution(factor,
                            count < kCountsInside ? block_.fixed.tf[count] : mirror_.tf[count]);
    }
    return sum;
  }

  const Block& block_;
  const MirrorView& mirror_;
  const unsigned lane_;
  FinishList& list_;
  std::uint32_t* const shared_;
  SumPiece (*const piece_)[3];
  std::uint64_t sum_ = 0;  // of candidate number `lane`
  std::uint32_t first_ = 0, listed_ = 0;
};

/// The row of a candidate, which is a slot of `tile`, or, where that is null, a row.
inline __device__ std::uint32_t row_of_candidate(const TileView* tile, Key candidate) {
  const auto number = static_cast<std::uint32_t>(candidate);
  return tile == nullptr ? number : tile->row_of[number];
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
                                       const TileView* tile) {
  Key* candidate = block.candidates();
  FinishList& list = block.finish();
  const std::uint32_t n = block.fixed.found;
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) {
    const std::uint32_t row = row_of_candidate(tile, candidate[i]);
    const PartView part = mirror.part_of(row);
    candidate[i] = row;
    list.row[i] = RowQuads::of(part.column, part.row_begin + (row - part.first_row));
  }
  number_terms(list, block.fixed.query);
  WarpSums sums(block, mirror);
  for (std::uint32_t i = threadIdx.x / 32; i < n; i += kWarps * kTogether) sums.add(i, n);
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads)
    candidate[i] = finished_key(mirror, block.fixed.query, static_cast<std::uint32_t>(candidate[i]),
                                static_cast<std::int64_t>(list.sum[i]));
}

/// As above, a thread a candidate: slower, but the accumulators stay.
inline __device__ void finish_one_by_one(const Block& block, const MirrorView& mirror,
                                         const TileView* tile) {
  const Query& query = block.fixed.query;
  for (std::uint32_t i = threadIdx.x; i < block.fixed.found; i += kThreads) {
    const std::uint32_t row = row_of_candidate(tile, block.candidates()[i]);
    const PartView part = mirror.part_of(row);
    const std::uint64_t end = part.row_begin[row - part.first_row + 1];
    std::int64_t sum = 0;
    for (std::uint64_t at = part.row_begin[row - part.first_row]; at < end; ++at) {
      const double factor = find_factor(query, __ldg(part.column + at));
      const std::uint32_t count = part.count_of(at);
      if (count < mirror.tf_size) sum += contribution(factor, mirror.tf[count]);
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

/// Brings the kept keys and the candidates into order: kEach a thread, each ranked by counting
/// those before it. No more than kEach * kThreads are kept and found.
template <unsigned kEach>
__device__ void rank_keys(const Block& block) {
  const Key* candidates = block.candidates();
  const std::uint32_t kept = block.fixed.kept, found = block.fixed.found;
  Key own[kEach];
  std::uint32_t rank[kEach] = {}, answers = 0;
#pragma unroll
  for (unsigned j = 0; j < kEach; ++j) {
    const std::uint32_t i = threadIdx.x + j * kThreads;
    own[j] = i < kept ? block.keys[i] : i < kept + found ? candidates[i - kept] : kNoKey;
    if (own[j] != kNoKey) ++answers;
  }
  const auto count = [&](const Key* keys, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const Key key = keys[i];
#pragma unroll
      for (unsigned j = 0; j < kEach; ++j) rank[j] += key < own[j] ? 1 : 0;
    }
  };
  if (answers > 0) {
    count(block.keys, kept);
    count(candidates, found);
  }
  __syncthreads();
#pragma unroll
  for (unsigned j = 0; j < kEach; ++j)
    if (own[j] != kNoKey && rank[j] < block.k) block.keys[rank[j]] = own[j];
  if (threadIdx.x == 0) block.fixed.kept = 0;
  __syncthreads();
#pragma unroll
  for (unsigned j = 0; j < kEach; ++j)
    if (own[j] != kNoKey) atomicMax(&block.fixed.kept, min(rank[j] + 1, block.k));
}

/// Takes the finished candidates among the best k, empties their list and raises the threshold.
inline __device__ void merge_candidates(const Block& block) {
  Fixed& fixed = block.fixed;
  const std::uint32_t n = fixed.kept + fixed.found;
  if (n <= kThreads) {
    rank_keys<1>(block);
  } else if (n <= kMaxRanked) {
    rank_keys<2>(block);
  } else {
    sort_keys(block.keys, block.k + fixed.found);
    for (std::uint32_t i = threadIdx.x; i < block.k; i += kThreads)
      if (block.keys[i] != kNoKey) atomicMax(&fixed.kept, i + 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    fixed.found = 0;
    if (fixed.kept == block.k)
      fixed.threshold =
          max(fixed.threshold, __float_as_uint(similarity_of(block.keys[block.k - 1])));
  }
  __syncthreads();
}

/// How candidates are finished: `finish` is one of the two functions above.
using Finish = void (*)(const Block&, const MirrorView&, const TileView*);

/// Finishes and merges the candidates if there are more than `most`.
template <Finish finish>
__device__ void finish_and_merge(const Block& block, const MirrorView& mirror, const TileView* tile,
                                 std::uint32_t most = 0) {
  __syncthreads();
  const std::uint32_t found = block.fixed.found;
  __syncthreads();  // all have read it before anyone pushes again
  if (found <= most) return;
  finish(block, mirror, tile);
  __syncthreads();
  merge_candidates(block);
}

/// Does so if another step of the whole block might not find room.
template <Finish finish>
__device__ void make_room(const Block& block, const MirrorView& mirror, const TileView* tile) {
  finish_and_merge<finish>(block, mirror, tile, kCandidates - kThreads);
}

/// Forgets the best so far.
inline __device__ void clear_keys(const Block& block) {
  for (std::uint32_t i = threadIdx.x; i < block.k; i += kThreads) block.keys[i] = kNoKey;
  if (threadIdx.x == 0) block.fixed.kept = 0;
}

inline __device__ void push_key(const Block& block, Key key) {
  const std::uint32_t i = atomicAdd(&block.fixed.found, 1u);
  if (i < kCandidates) block.candidates()[i] = key;
}

}  // namespace kindred::cuda
