#pragma once

#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/search/rank.cuh"
#include "gpu/cuda/search/term_table.cuh"

// Computes the exact sums of the few documents that may be among the best. A warp works on several
// documents at a time, because most of the time goes into waiting for their entries.

namespace kindred::cuda {

/// The work of one warp: the exact sums of up to kTogether candidates. Each lane reads entries in
/// fours, and lists the fours that may have a term of the query. These are few, and the warp then
/// works on them together.
class WarpSums {
 public:
  __device__ WarpSums(const Block& block, const MirrorView& mirror)
      : block_(block),
        mirror_(mirror),
        lane_(threadIdx.x % 32),
        list_(block.finish()),
        shared_(list_.shared[threadIdx.x / 32]),
        piece_(list_.piece[threadIdx.x / 32]) {}

  /// Writes the sums of candidates first, first + kWarps, .. below `end`, at most kTogether of
  /// them. Leaves out what rows have behind their first `kMost` quads.
  template <std::uint32_t kMost>
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
      if (number + 1 < n) {  // loads meanwhile
        row = list_.row[first + (number + 1) * kWarps];
        terms = load(row, lane_);
      }
      list(number, now, lane_);
      for (std::uint32_t quad = 32; quad < min(own.quads(), kMost); quad += 32)
        list(number, load(own, quad + lane_), quad + lane_);
    }
    work();
    if (lane_ < n) list_.sum[first + lane_ * kWarps] = sum_;
    __syncwarp();
  }

  /// Adds this warp's share of what add() left out of a long row.
  __device__ void add_rest(std::uint32_t candidate) {
    first_ = candidate;
    listed_ = 0;
    sum_ = 0;
    const RowQuads row = list_.row[candidate];
#pragma unroll 4
    for (std::uint32_t quad = kOwnQuads + threadIdx.x / 32 * 32; quad < row.quads();
         quad += kThreads)
      list(0, load(row, quad + lane_), quad + lane_);
    work();
    if (lane_ == 0 && sum_ > 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(&list_.sum[candidate]),
                static_cast<unsigned long long>(sum_));
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
      return list_.terms.number[term_slot(term)] != 0 ? 1u << j : 0u;
    };
    return bit(terms.x, 0) | bit(terms.y, 1) | bit(terms.z, 2) | bit(terms.w, 3);
  }

  __device__ void list(std::uint32_t number, const uint4& terms, std::uint32_t quad) {
    const std::uint32_t mask = test(terms);
    const unsigned all = __ballot_sync(kWholeWarp, mask != 0);
    if (mask != 0)
      shared_[listed_ + __popc(all & ((1u << lane_) - 1))] = number << 28 | mask << 24 | quad;
    listed_ += __popc(all);
    if (listed_ > kShared - 32) work();
  }

  /// Adds the contributions of the listed entries, one quad per lane, and empties the list. A sum
  /// is kept in three pieces of 21 bits, since one instruction adds only 32 bits in shared memory.
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
    const SegmentView segment =
        mirror_.segment_of(static_cast<std::uint32_t>(block_.candidates()[i]));
    const std::uint32_t quad = (listed & 0xFFFFFF) * 4;
    const auto* const column = reinterpret_cast<const std::uint32_t*>(row.first()) + quad;
    const auto first = static_cast<std::uint64_t>(column - segment.column);
    std::int64_t sum = 0;
    for (std::uint32_t mask = listed >> 24 & 0xF; mask != 0; mask &= mask - 1) {
      const std::uint32_t j = __ffs(static_cast<int>(mask)) - 1;
      if (!row.has(quad + j)) continue;
      const std::uint32_t count = segment.count_of(first + j);
      const double factor = find_factor(list_.terms, block_.fixed.query, __ldg(column + j));
      if (count < mirror_.tf_size)  // only dead rows have larger ones
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

/// The place of a candidate. Candidates are slots of `tile`, or, if that is null, places.
inline __device__ std::uint32_t place_of_candidate(const TileView* tile, Key candidate) {
  const auto number = static_cast<std::uint32_t>(candidate);
  return tile == nullptr ? number : tile->place_of[number];
}

/// The key of the row at `place`, whose contributions add up to `sum`; kNoKey if it may not answer.
inline __device__ Key finished_key(const MirrorView& mirror, const Query& query,
                                   std::uint32_t place, std::int64_t sum) {
  const Key key = make_key(similarity(sum, mirror.reciprocal[place]), mirror.number_at(place));
  return key > query.after ? key : kNoKey;
}

/// How rows of very many terms are read: each by one warp, or what one warp leaves by all warps
/// together. There are few in most collections, and code for them takes registers from the rest.
enum class LongRows { kAlone, kShared };

/// Turns candidates into keys. Each warp computes the sums of some of them; then each thread makes
/// the key of one. Overwrites the accumulators.
template <LongRows kLongRows>
__device__ void finish_together(const Block& block, const MirrorView& mirror,
                                const TileView* tile) {
  Key* candidate = block.candidates();
  FinishList& list = block.finish();
  const std::uint32_t n = block.fixed.found;
  constexpr std::uint32_t kMost = kLongRows == LongRows::kShared ? kOwnQuads : ~0u;
  clear_terms(list.terms);
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) {
    const std::uint32_t place = place_of_candidate(tile, candidate[i]);
    const SegmentView segment = mirror.segment_of(place);
    candidate[i] = place;
    list.row[i] = RowQuads::of(segment.column, segment.row_begin + (place - segment.first_place));
    if (kLongRows == LongRows::kShared && list.row[i].quads() > kOwnQuads)
      list.long_row[atomicAdd(&block.fixed.pieces, 1u)] = static_cast<std::uint16_t>(i);
  }
  number_terms(list.terms, block.fixed.query);
  __syncthreads();
  WarpSums sums(block, mirror);
  for (std::uint32_t i = threadIdx.x / 32; i < n; i += kWarps * kTogether) sums.add<kMost>(i, n);
  __syncthreads();
  if constexpr (kLongRows == LongRows::kShared) {
    for (std::uint32_t i = 0; i < block.fixed.pieces; ++i) sums.add_rest(list.long_row[i]);
    __syncthreads();
    if (threadIdx.x == 0) block.fixed.pieces = 0;
  }
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads)
    candidate[i] = finished_key(mirror, block.fixed.query, static_cast<std::uint32_t>(candidate[i]),
                                static_cast<std::int64_t>(list.sum[i]));
}

/// If there are more than `most` candidates, turns them into keys and merges these into the best k.
/// The list of candidates is then empty. All threads of the block.
template <LongRows kLongRows = LongRows::kAlone>
__device__ void finish_and_merge(const Block& block, const MirrorView& mirror, const TileView* tile,
                                 std::uint32_t most = 0) {
  __syncthreads();
  const std::uint32_t found = block.fixed.found;
  __syncthreads();  // all have read it before anyone pushes again
  if (found <= most) return;
  finish_together<kLongRows>(block, mirror, tile);
  __syncthreads();
  merge_candidates(block);
}

/// Does the same if the next step of the block, in which each thread may add a candidate, could
/// overflow the list.
template <LongRows kLongRows = LongRows::kAlone>
__device__ void make_room(const Block& block, const MirrorView& mirror, const TileView* tile) {
  finish_and_merge<kLongRows>(block, mirror, tile, kCandidates - kThreads);
}

/// Turns `count` slots into keys, and merges these into the best k, or leaves them as candidates.
/// slot_at(i) is read before a barrier, after which the candidates are written.
template <LongRows kLongRows, typename SlotAt>
__device__ void finish_some(const Block& block, const MirrorView& mirror, const TileView& tile,
                            std::uint32_t count, bool merges, SlotAt&& slot_at) {
  static_assert(kCandidates <= 2 * kThreads);
  const std::uint32_t i = threadIdx.x, j = i + kThreads;
  const std::uint32_t first = i < count ? slot_at(i) : 0, second = j < count ? slot_at(j) : 0;
  __syncthreads();
  if (i < count) block.candidates()[i] = first;
  if (j < count) block.candidates()[j] = second;
  if (threadIdx.x == 0) block.fixed.found = count, block.fixed.listed = 0;
  __syncthreads();
  if (count > 0) finish_together<kLongRows>(block, mirror, &tile);
  __syncthreads();
  if (merges && count > 0) merge_candidates(block);
}

/// Turns more slots than kCandidates into keys, after moving their list behind what finishing
/// needs.
__device__ __noinline__ inline void finish_many(Block block, const MirrorView& mirror,
                                                const TileView& tile) {
  FinishList& list = block.finish();
  const std::uint32_t n = min(block.fixed.listed, kListed);
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) list.slot[i] = block.slots().slot[i];
  __syncthreads();
  for (std::uint32_t first = 0; first < n; first += kCandidates)
    finish_some<LongRows::kShared>(block, mirror, tile, min(n - first, kCandidates), true,
                                   [&](std::uint32_t i) { return list.slot[first + i]; });
}

/// Turns the listed slots into keys, and merges these into the best k unless `keeps_few` and there
/// are at most kCandidates: these stay candidates. The list of slots is then empty. All threads of
/// the block, after a barrier; ends with one.
template <LongRows kLongRows>
__device__ void finish_slots(const Block& block, const MirrorView& mirror, const TileView& tile,
                             bool keeps_few) {
  if (block.fixed.listed <= kCandidates)
    finish_some<kLongRows>(block, mirror, tile, block.fixed.listed, !keeps_few,
                           [&](std::uint32_t i) { return block.slots().slot[i]; });
  else
    finish_many(block, mirror, tile);
}

}  // namespace kindred::cuda
