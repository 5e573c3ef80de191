#pragma once

#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/knn/query_terms.cuh"
#include "gpu/cuda/knn/rank.cuh"
#include "gpu/cuda/knn/row_quads.cuh"
#include "gpu/cuda/knn/search_block.cuh"

// Computes the exact sums of the few documents that may be among the best, a warp a document. What
// the query's terms are and weigh is in shared memory, and a document's counts are loaded with its
// columns, so that nothing waits for memory but these two.

namespace kindred::cuda {

// The terms of a query, and what they weigh, in a hash table of the block's memory. Rows are
// finished with it: most terms of a row are not the query's, and one look shows that.

/// Some of the query's terms: those from `begin` to before `end`.
struct TermRange {
  std::uint32_t begin, end;

  /// The first of the ranges that a query is cut into.
  static __device__ TermRange first(const Query& query) {
    return {0, min(query.terms, kTermsNumbered)};
  }
  __device__ TermRange next(const Query& query) const {
    return {end, min(query.terms, end + kTermsNumbered)};
  }
};

/// Fills an empty table with terms of the query; all threads of the block. It is complete after the
/// caller's next barrier.
inline __device__ void load_terms(QueryTerms& table, const Query& query, TermRange range) {
  for (std::uint32_t i = range.begin + threadIdx.x; i < range.end; i += kThreads) {
    const std::uint32_t at = i - range.begin, term = query.term[i];
    table.term[at] = term;
    table.factor[at] = query.factor[i];

    // Open addressing: a term takes its slot or the next free one, whichever thread comes first.
    std::uint32_t slot = term_slot(term);
    const auto number = static_cast<unsigned short>(at + 1);
    while (atomicCAS(&table.number[slot], static_cast<unsigned short>(0), number) != 0)
      slot = (slot + 1) % kTermSlots;
  }
}

/// The factor of `term`, in whose slot `number` is, which is not 0; 0 if it is not in the table.
inline __device__ double factor_of(const QueryTerms& table, std::uint32_t term,
                                   std::uint32_t number) {
  const double factor = table.factor[number - 1];  // not waited for unless it is the term's
  if (table.term[number - 1] == term) return factor;

  for (std::uint32_t slot = (term_slot(term) + 1) % kTermSlots; (number = table.number[slot]) != 0;
       slot = (slot + 1) % kTermSlots)
    if (table.term[number - 1] == term) return table.factor[number - 1];
  return 0;
}

/// What a count weighs that a block does not keep in its memory: the entry at `column` of the row
/// at `place`, with 8 bits of its count. Rare, so it is a function of its own: inlined, it would
/// take registers from what is common.
inline __device__ __noinline__ double rare_tf(const MirrorView& mirror, std::uint32_t place,
                                              const std::uint32_t* column, std::uint32_t count) {
  if (count == SegmentView::kLargeCount) {
    const SegmentView segment = mirror.segment_of(place);
    count = segment.count_of(static_cast<std::uint64_t>(column - segment.column));
  }
  return count < mirror.tf_size ? mirror.tf[count] : 0;  // only dead rows have larger ones
}

/// The work of one warp: the exact sums of candidates. Each lane reads entries in fours.
class WarpSums {
 public:
  /// The block's table has the query's terms of `range`.
  __device__ WarpSums(const Block& block, const MirrorView& mirror, const TermRange& range)
      : block_(block),
        mirror_(mirror),
        is_last_(range.end == block.fixed.query.terms),
        last_(is_last_ ? kNoTerm - 1 : block.fixed.query.term[range.end - 1]),
        lane_(threadIdx.x % 32),
        list_(block.finish()) {}

  /// Adds to the sums of candidates first, first + kWarps, .. below `end` what their rows share
  /// with the terms in the table.
  __device__ void add(std::uint32_t first, std::uint32_t end) {
    if (first >= end) return;

    std::uint32_t i = first, at = list_.row[i].next, quads = list_.row[i].quads;
    Quad next = load(list_.row[i], at + lane_);
    std::uint64_t sum = 0;

    // While a quad is scored, the next one loads: of the same row or, where this one ends, of the
    // warp's next row.
    while (i < end) {
      const Quad quad = next;
      const std::uint32_t own = i, own_at = at;

      // A row ends with its last quad, or where the terms of the range end, since terms ascend.
      at += 32;
      const bool ends = at >= quads || goes_past_range(quad);
      if (ends) {
        i += kWarps;
        if (i < end) at = list_.row[i].next, quads = list_.row[i].quads;
      }

      if (i < end) next = load(list_.row[i], at + lane_);  // loads meanwhile
      sum += score(own, quad, own_at + lane_);
      if (!ends) continue;

      // The row is done, as far as this range goes: its sum is that of all lanes.
      sum = warp_total(sum);
      if (lane_ == 0) list_.sum[own] += sum;
      if (!is_last_) go_on_from(own, own_at);
      sum = 0;
    }
  }

 private:
  static constexpr std::uint32_t kNoTerm = 0xFFFFFFFFu;

  /// The next range finds its terms from quad number `quad` of a candidate's row on.
  __device__ void go_on_from(std::uint32_t candidate, std::uint32_t quad) const {
    __syncwarp();  // all lanes have read where to begin
    if (lane_ == 0) list_.row[candidate].next = quad;
  }

  /// Four entries, of which the first or the last ones may be those of other rows.
  struct Quad {
    uint4 terms;           // kNoTerm behind the row
    std::uint32_t counts;  // 8 bits each
  };

  static __device__ Quad load(const RowQuads& row, std::uint32_t quad) {
    if (quad >= row.quads) return {{kNoTerm, kNoTerm, kNoTerm, kNoTerm}, 0};
    return {__ldg(row.columns() + quad), __ldg(row.counts() + quad)};
  }

  /// True if what comes after the lanes' quads of a row has no term of the range.
  __device__ bool goes_past_range(const Quad& quad) const {
    return !is_last_ && __any_sync(kWholeWarp, quad.terms.w > last_) != 0;
  }

  /// What quad number `number` of a candidate's row adds to its sum. Few entries are of the query's
  /// terms. So all lanes that have such entries take one at the same time, whichever of the four it
  /// is.
  __device__ std::uint64_t score(std::uint32_t candidate, const Quad& quad,
                                 std::uint32_t number) const {
    const std::uint16_t* const numbers = list_.terms.number;
    const uint4 found{numbers[term_slot(quad.terms.x)], numbers[term_slot(quad.terms.y)],
                      numbers[term_slot(quad.terms.z)], numbers[term_slot(quad.terms.w)]};
    std::uint32_t left = (found.x != 0 ? 1 : 0) | (found.y != 0 ? 2 : 0) | (found.z != 0 ? 4 : 0) |
                         (found.w != 0 ? 8 : 0);

    std::uint64_t sum = 0;
    if (left != 0) left &= list_.row[candidate].entries_of(number);
    while (left != 0) {
      const std::uint32_t j = __ffs(static_cast<int>(left)) - 1;
      left &= left - 1;
      const double factor = factor_of(list_.terms, pick(quad.terms, j), pick(found, j));
      const std::uint32_t count = quad.counts >> 8 * j & 0xFF;
      const double tf = count < kCountsInside
                            ? block_.fixed.tf[count]
                            : rare_tf(mirror_, list_.place[candidate],
                                      list_.row[candidate].first_column() + number * 4 + j, count);
      sum += static_cast<std::uint64_t>(contribution(factor, tf));
    }
    return sum;
  }

  static __device__ std::uint32_t pick(const uint4& values, std::uint32_t j) {
    const std::uint32_t low = j == 0 ? values.x : values.y, high = j == 2 ? values.z : values.w;
    return j < 2 ? low : high;
  }

  /// The sum of all lanes' `own`, below 2^63, for all lanes.
  static __device__ std::uint64_t warp_total(std::uint64_t own) {
    // Sums of 21 bits from each of 32 lanes fit 32 bits, which is what the instruction adds.
    constexpr unsigned kBits = 21, kMask = (1u << kBits) - 1;
    const auto total = [](std::uint64_t part) -> std::uint64_t {
      return __reduce_add_sync(kWholeWarp, static_cast<std::uint32_t>(part));
    };

    return total(own & kMask) + (total(own >> kBits & kMask) << kBits) +
           (total(own >> 2 * kBits) << 2 * kBits);
  }

  const Block& block_;
  const MirrorView& mirror_;
  const bool is_last_;
  const std::uint32_t last_;  // term of the range
  const unsigned lane_;
  FinishList& list_;
};

/// The key of the row at `place`, whose contributions add up to `sum`; kNoKey if it may not answer.
inline __device__ Key finished_key(const MirrorView& mirror, const Query& query,
                                   std::uint32_t place, std::int64_t sum) {
  const Key key = make_key(similarity(sum, mirror.reciprocal[place]), mirror.number_at(place));
  return key > query.after ? key : kNoKey;
}

/// Brings to the first-level cache what is read later.
inline __device__ void load_ahead(const double* value) {
  asm volatile("prefetch.global.L1 [%0];" ::"l"(value));
}

/// Makes the rows at `n` places candidates, at most kCandidates. Each warp computes the sums of
/// some of them; then each thread makes the key of one. A query of very many terms is worked on in
/// ranges of these. place_at(i) is called before the candidates are written. Overwrites the
/// accumulators. All threads of the block; ends with a barrier.
template <typename PlaceAt>
__device__ void finish_together(const Block& block, const MirrorView& mirror, std::uint32_t n,
                                PlaceAt&& place_at) {
  FinishList& list = block.finish();
  const Query& query = block.fixed.query;

  // Each thread prepares a row: where its entries are, and its reciprocal, which is on its way to
  // the cache meanwhile.
  zero(list.terms.number, sizeof(list.terms.number));
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) {
    const std::uint32_t place = place_at(i);
    const SegmentView segment = mirror.segment_of(place);
    list.place[i] = place;
    list.row[i] = RowQuads::of(segment, place - segment.first_place);
    list.sum[i] = 0;
    load_ahead(&mirror.reciprocal[place]);
  }
  __syncthreads();

  // The table holds a range of the terms. Where there are more, warps go through the rows again for
  // each range.
  for (TermRange range = TermRange::first(query);; range = range.next(query)) {
    load_terms(list.terms, query, range);
    __syncthreads();
    WarpSums(block, mirror, range).add(threadIdx.x / 32, n);
    __syncthreads();
    if (range.end == query.terms) break;

    zero(list.terms.number, sizeof(list.terms.number));
    __syncthreads();
  }

  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads)
    block.candidates()[i] =
        finished_key(mirror, query, list.place[i], static_cast<std::int64_t>(list.sum[i]));
  if (threadIdx.x == 0) block.fixed.found = n;
  __syncthreads();
}

/// Turns the listed slots into keys, and merges these into the best k unless `keeps_few` and there
/// are at most kCandidates: these stay candidates. The list of slots is then empty. All threads of
/// the block, after a barrier.
inline __device__ void finish_slots(const Block& block, const MirrorView& mirror,
                                    const TileView& tile, bool keeps_few) {
  FinishList& list = block.finish();
  const std::uint32_t n = min(block.fixed.listed, kListed);
  const bool is_long = n > kCandidates;  // so candidates would overwrite the list

  // A long list moves to the memory of the sums, which the candidates do not overwrite.
  if (is_long) {
    for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) list.slot[i] = block.slots().slot[i];
    __syncthreads();
  }
  const std::uint16_t* const slot = is_long ? list.slot : block.slots().slot;

  // A few candidates stay as they are where no tile comes after this one: they are ranked right
  // into the answer.
  for (std::uint32_t first = 0; first < n; first += kCandidates) {
    finish_together(block, mirror, min(n - first, kCandidates), [&](std::uint32_t i) {
      return tile.place_of(slot[first + i]);
    });
    if (!keeps_few || is_long) merge_candidates(block);
  }

  if (n > 0 && threadIdx.x == 0) block.fixed.listed = 0;
}

}  // namespace kindred::cuda
