#pragma once

#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/search/rank.cuh"
#include "gpu/cuda/search/term_table.cuh"

// Computes the exact sums of the few documents that may be among the best, a warp a document. What
// a query's terms are and what they weigh is in shared memory, and a document's counts are loaded
// with its columns, so that nothing waits for memory but these two.

namespace kindred::cuda {

/// The count of the entry at `column`, of the row at `place`, that does not fit 8 bits. Rare, so it
/// is a function of its own: inlined, it would take registers from what is common.
inline __device__ __noinline__ std::uint32_t large_count(const MirrorView& mirror,
                                                         std::uint32_t place,
                                                         const std::uint32_t* column) {
  const SegmentView segment = mirror.segment_of(place);
  return segment.count_of(static_cast<std::uint64_t>(column - segment.column));
}

/// The work of one warp: the exact sums of candidates. Each lane reads entries in fours.
class WarpSums {
 public:
  /// `terms` of the query are numbered in the block's table.
  __device__ WarpSums(const Block& block, const MirrorView& mirror, TermRange terms)
      : block_(block),
        mirror_(mirror),
        terms_(terms),
        lane_(threadIdx.x % 32),
        list_(block.finish()) {}

  /// Adds to the sums of candidates first, first + kWarps, .. below `end`. Leaves out what rows
  /// have behind their first kOwnQuads quads.
  __device__ void add(std::uint32_t first, std::uint32_t end) {
    if (first >= end) return;
    std::uint32_t i = first, at = 0;
    Quad next = load(list_.row[i], lane_);
    std::uint64_t sum = 0;
    while (i < end) {
      const Quad quad = next;
      const std::uint32_t own = i, own_at = at;
      at += 32;
      const bool ends = at >= min(list_.row[i].quads(), kOwnQuads);
      if (ends) i += kWarps, at = 0;
      if (i < end) next = load(list_.row[i], at + lane_);  // loads meanwhile
      sum += score(own, quad, own_at + lane_);
      if (!ends) continue;
      sum = warp_total(sum);
      if (lane_ == 0) list_.sum[own] += sum;
      sum = 0;
    }
  }

  /// Adds this warp's share of what add() left out of a long row.
  __device__ void add_rest(std::uint32_t candidate) {
    const RowQuads& row = list_.row[candidate];
    std::uint64_t sum = 0;
    for (std::uint32_t at = kOwnQuads + threadIdx.x / 32 * 32; at < row.quads(); at += kThreads)
      sum += score(candidate, load(row, at + lane_), at + lane_);
    sum = warp_total(sum);
    if (lane_ == 0 && sum > 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(&list_.sum[candidate]), sum);
  }

 private:
  static constexpr std::uint32_t kNoTerm = 0xFFFFFFFFu;

  /// Four entries of a row, some of which may be its neighbors'.
  struct Quad {
    uint4 terms;
    std::uint32_t counts;  // 8 bits each
  };

  static __device__ Quad load(const RowQuads& row, std::uint32_t quad) {
    if (quad >= row.quads()) return {{kNoTerm, kNoTerm, kNoTerm, kNoTerm}, 0};
    return {__ldg(row.columns() + quad), __ldg(row.counts() + quad)};
  }

  /// What a row's quad adds to its sum.
  __device__ std::uint64_t score(std::uint32_t candidate, const Quad& quad,
                                 std::uint32_t number) const {
    const RowQuads& row = list_.row[candidate];
    const std::uint32_t terms[4] = {quad.terms.x, quad.terms.y, quad.terms.z, quad.terms.w};
    std::uint64_t sum = 0;
#pragma unroll
    for (std::uint32_t j = 0; j < 4; ++j) {
      const std::uint32_t found = list_.terms.number[term_slot(terms[j])];
      if (found == 0 || !row.has(number * 4 + j)) continue;
      const double factor = find_factor(block_.fixed.query, terms_, found, terms[j]);
      if (factor == 0) continue;
      std::uint32_t count = quad.counts >> 8 * j & 0xFF;
      if (count == SegmentView::kLargeCount)
        count = large_count(mirror_, static_cast<std::uint32_t>(block_.candidates()[candidate]),
                            row.first_column() + number * 4 + j);
      if (count < mirror_.tf_size)  // only dead rows have larger ones
        sum += static_cast<std::uint64_t>(contribution(factor, tf(count)));
    }
    return sum;
  }

  __device__ double tf(std::uint32_t count) const {
    return count < kCountsInside ? block_.fixed.tf[count] : mirror_.tf[count];
  }

  /// The sum of all lanes' `own`, below 2^63, for all lanes.
  static __device__ std::uint64_t warp_total(std::uint64_t own) {
    constexpr unsigned kBits = 21, kMask = (1u << kBits) - 1;
    const auto total = [](std::uint64_t piece) -> std::uint64_t {
      return __reduce_add_sync(kWholeWarp, static_cast<std::uint32_t>(piece));
    };
    return total(own & kMask) + (total(own >> kBits & kMask) << kBits) +
           (total(own >> 2 * kBits) << 2 * kBits);
  }

  const Block& block_;
  const MirrorView& mirror_;
  const TermRange terms_;
  const unsigned lane_;
  FinishList& list_;
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

/// Turns candidates into keys. Each warp computes the sums of some of them; then each thread makes
/// the key of one. A query of very many terms is worked on in parts. Overwrites the accumulators.
inline __device__ void finish_together(const Block& block, const MirrorView& mirror,
                                       const TileView* tile) {
  Key* candidate = block.candidates();
  FinishList& list = block.finish();
  const std::uint32_t n = block.fixed.found;
  clear_terms(list.terms);
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) {
    const std::uint32_t place = place_of_candidate(tile, candidate[i]);
    const SegmentView segment = mirror.segment_of(place);
    candidate[i] = place;
    list.row[i] = RowQuads::of(segment, place - segment.first_place);
    list.sum[i] = 0;
    if (list.row[i].quads() > kOwnQuads)
      list.long_row[atomicAdd(&block.fixed.pieces, 1u)] = static_cast<std::uint16_t>(i);
  }
  const Query& query = block.fixed.query;
  TermRange range{0, min(query.terms, kTermsNumbered)};
  while (true) {
    number_terms(list.terms, query, range);
    __syncthreads();
    WarpSums sums(block, mirror, range);
    sums.add(threadIdx.x / 32, n);
    __syncthreads();
    for (std::uint32_t i = 0; i < block.fixed.pieces; ++i) sums.add_rest(list.long_row[i]);
    if (range.end == query.terms) break;
    range = {range.end, min(query.terms, range.end + kTermsNumbered)};
    __syncthreads();
    clear_terms(list.terms);
    __syncthreads();
  }
  __syncthreads();
  if (threadIdx.x == 0) block.fixed.pieces = 0;
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads)
    candidate[i] = finished_key(mirror, block.fixed.query, static_cast<std::uint32_t>(candidate[i]),
                                static_cast<std::int64_t>(list.sum[i]));
}

/// If there are more than `most` candidates, turns them into keys and merges these into the best k.
/// The list of candidates is then empty. All threads of the block.
inline __device__ void finish_and_merge(const Block& block, const MirrorView& mirror,
                                        const TileView* tile, std::uint32_t most = 0) {
  __syncthreads();
  const std::uint32_t found = block.fixed.found;
  __syncthreads();  // all have read it before anyone pushes again
  if (found <= most) return;
  finish_together(block, mirror, tile);
  __syncthreads();
  merge_candidates(block);
}

/// Does the same if the next step of the block, in which each thread may add a candidate, could
/// overflow the list.
inline __device__ void make_room(const Block& block, const MirrorView& mirror,
                                 const TileView* tile) {
  finish_and_merge(block, mirror, tile, kCandidates - kThreads);
}

/// Turns the listed slots into keys, and merges these into the best k unless `keeps_few` and there
/// are at most kCandidates: these stay candidates. The list of slots is then empty. All threads of
/// the block, after a barrier; ends with one.
inline __device__ void finish_slots(const Block& block, const MirrorView& mirror,
                                    const TileView& tile, bool keeps_few) {
  FinishList& list = block.finish();
  const std::uint32_t n = min(block.fixed.listed, kListed);
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) list.slot[i] = block.slots().slot[i];
  __syncthreads();
  if (threadIdx.x == 0) block.fixed.listed = 0;
  for (std::uint32_t first = 0; first < n; first += kCandidates) {
    const std::uint32_t count = min(n - first, kCandidates);
    for (std::uint32_t i = threadIdx.x; i < count; i += kThreads)
      block.candidates()[i] = list.slot[first + i];
    if (threadIdx.x == 0) block.fixed.found = count;
    __syncthreads();
    finish_together(block, mirror, &tile);
    __syncthreads();
    if (!keeps_few || n > kCandidates) merge_candidates(block);
  }
}

}  // namespace kindred::cuda
