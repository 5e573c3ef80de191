#pragma once

#include <algorithm>

#include "gpu/cuda/device/chunk_layout.cuh"
#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/knn/add_up.cuh"
#include "gpu/cuda/knn/choose.cuh"
#include "gpu/cuda/knn/finish.cuh"
#include "gpu/cuda/knn/search_block.cuh"
#include "gpu/cuda/knn/vote.cuh"

// The search of a tile by a block, or by the blocks of a team: what the kernels have in common.
//
// Why no coarse sum overflows its 16 bits. Names are those of docs/scoring.md, h is the shift of
// the tile, m the number of the query's terms. Let D be the length of the longest document of the
// tile, dead or not, in units of 2^-s, and B = D (1 + 2^-20) + m + 2^22. Then S <= B for each
// document of the tile: |d| bounds the real sum, 2^-20 the relative errors, m/2 the roundings of
// contributions, 2^22 the conversions. The shift is the smallest h >= 0 with (B >> h) + 2 + m +
// m/64 < 2^16. As a < S / 2^h + m,
//
//     a <= (B >> h) + m < 2^16.
//
// Contributions are not negative, so no document of a word carries into the other or out of it.
//
// If one long document makes the unit coarse for all, so that m D exceeds 2^9 times the length of a
// document in the middle of the tile, and tf never falls with the count, then
// - B is also bounded by the sum, over the query's terms, of f_t tf[c] for the largest count c of
//   the term in the tile, times 1 + 2^-10;
// - a run of postings of one term is not added up if its largest contribution is below a limit,
//   2^-10 / sqrt(m) of that middling length. B is then larger by m times the limit.
//
// A document then lacks at most the largest contribution that was left out of each term, and less
// than the limit for each of its own entries. Let z be the sum of the former over the terms or, for
// a group of 64 documents, the limit times the most entries of any of them, whichever is less, over
// 2^h, rounded up; the m/64 above leaves room for that rounding. Then
//
//     (a - m') 2^h < S <= (a + z) 2^h
//
// where m' counts the terms of which some run was added up, or is the most entries of a document in
// its group, if these are fewer. If m exceeds kFilterTerms, every document is finished exactly.

namespace kindred::cuda {

// Decides how a query's contributions are rounded in a tile: the finer the unit of the coarse sums,
// the fewer documents have to be finished.

/// What no document of the tile can exceed: the sum of the largest contribution of each term. Only
/// where larger counts never weigh less. All threads of the block; ends with a barrier.
inline __device__ float most_of_terms(const Block& block, const MirrorView& mirror,
                                      const TileView& tile) {
  const Query& query = block.fixed.query;
  float sum = 0;

  // The last run of a term has its largest count in the tile. Terms of no posting contribute
  // nothing.
  for (std::uint32_t i = threadIdx.x; i < query.terms; i += kThreads) {
    const std::uint32_t term = query.term[i];
    if (term >= tile.terms) continue;
    const std::uint32_t begin = tile.term_runs[term], end = tile.term_runs[term + 1];
    if (begin == end) continue;
    const std::uint32_t count = min(RunShape{tile.runs[end - 1].y}.count(), mirror.tf_size - 1);
    sum += static_cast<float>(query.factor[i] * mirror.tf[count]);
  }

  for (int stride = 16; stride > 0; stride /= 2) sum += __shfl_xor_sync(kWholeWarp, sum, stride);
  if (threadIdx.x % 32 == 0) block.fixed.warp_bound[threadIdx.x / 32] = sum;
  __syncthreads();

  float all = 0;
  for (const float warp : block.fixed.warp_bound) all += warp;
  return all;
}

/// The contribution below which runs are not added up: 2^-10 of the length of a middling document,
/// over the root of the number of terms. Common words are most of the postings of real text, and
/// they hardly matter to a similarity. `middle`: that length over 2^62.
inline __device__ long long smallest_added(float middle, std::uint32_t terms) {
  return static_cast<long long>(middle * 0x1p52f * rsqrtf(static_cast<float>(terms)));
}

/// Chooses the shift of coarse contributions that keeps every sum of the tile within 16 bits, and
/// what is not added up. False if there is no such shift. A sum exceeds its document's
/// contributions only by roundings, of which half a unit per term is the largest, and by what was
/// dropped. All threads of the block, after a barrier. The choice holds after the next barrier.
inline __device__ bool plan_sums(const Block& block, const MirrorView& mirror,
                                 const TileView& tile) {
  Fixed& fixed = block.fixed;
  const std::uint32_t terms = fixed.query.terms;

  // With more terms, roundings alone would exceed 16 bits.
  if (terms > kFilterTerms) return false;

  // No sum exceeds the longest document's length but by roundings, or what its terms can add.
  double most = tile.longest * (1 + 0x1p-20);
  long long drop_below = 0;
  // Where roundings are below 2^-7 of a middling document's length, nothing better is needed.
  const bool is_rough = tile.middle < 1 && terms * most > tile.middle * 0x1p71;
  if (is_rough && mirror.tf_ascends) {
    most = fmin(most, most_of_terms(block, mirror, tile) * (1 + 0x1p-10));
    drop_below = smallest_added(tile.middle, terms);
  }

  // The smallest shift by which the largest sum, with all roundings and what is dropped, stays
  // below 2^16.
  if (threadIdx.x == 0) {
    const long long largest = static_cast<long long>(most) + terms * (drop_below + 1) + (1 << 22);
    int shift = max(0, 64 - __clzll(largest) - 16);
    while ((largest >> shift) + 2 + terms + terms / 64 > 65535) ++shift;

    fixed.shift = shift;
    fixed.drop_below = drop_below;
    fixed.drop_each = static_cast<std::uint32_t>(drop_below << kDropBits >> shift) + 1;
    fixed.dropped = 0;
  }

  return true;
}

/// What else the memory of the accumulators is used for.
inline constexpr std::size_t kAnswerBytes =
    std::max(sizeof(Ballot), kMostParts * sizeof(std::uint32_t));
inline constexpr std::size_t kScratchBytes = std::max(sizeof(FinishList), kAnswerBytes);
static_assert(sizeof(FinishList) % 16 == 0 && kAnswerBytes % 16 == 0);

/// The slots of a tile that may answer; null if all may.
inline __device__ const std::uint32_t* slot_bits_of(const SearchJob& job, const TileView& tile) {
  return job.slot_bits == nullptr ? nullptr : job.slot_bits + tile.first_slot / 32;
}

/// Shares what blocks of the same query know of the threshold.
inline __device__ void share_floor(const Block& block, const SearchJob& job) {
  if (job.parts == 1 || threadIdx.x != 0) return;
  unsigned* const floor = job.floor + block.fixed.query.work;
  block.fixed.threshold = max(block.fixed.threshold, atomicMax(floor, block.fixed.threshold));
}

/// Makes the accumulators what they are between tiles.
inline __device__ void clear_sums(const Block& block, const TileView& tile) {
  clear(block.sums, max((tile.words() + kPaddingWords) * 4, std::uint32_t{kScratchBytes}));
}

/// True if a better threshold may be found by finishing the likeliest slots. Blocks of a team may
/// differ in it.
inline __device__ bool finds_threshold(const Block& block) {
  return block.fixed.kept == 0 && block.fixed.query.after == 0;
}

/// Makes the sums of a tile anew, after they were overwritten.
template <typename Team>
__device__ void start_over(const Block& block, const Team& team, const SearchJob& job,
                           const TileView& tile) {
  clear_sums(block, tile);
  plan_sums(block, job.mirror, tile);
  add_up(block, team, job.mirror, tile);
}

/// Searches a tile that has more slots above the threshold than should be listed, or whose sums
/// would not fit their 16 bits. Each list is finished in the place of the sums, which are then
/// added up again. The first list may be of the likeliest slots: their similarities give a
/// threshold that hardly more than k slots can reach.
///
/// This is rare, so it is a function of its own, with its arguments by value: inlined, it would
/// take registers from what is common.
template <typename Team>
__device__ __noinline__ void search_in_steps(Block block, const SearchJob& job,
                                             const TileView& tile, Octets<Team> octets,
                                             bool has_sums, bool tries_likely) {
  const std::uint32_t* const slot_bits = slot_bits_of(job, tile);
  std::uint32_t next = 0;
  bool are_likely = tries_likely && list_likely_slots(block, tile, octets, slot_bits, block.k);

  while (true) {
    // List, finish, and make the sums again for what is left. The list of likely slots comes first,
    // if it is tried: it gives no answer, only a threshold.
    if (!are_likely) next = list_some_slots(block, tile, octets, next, slot_bits, has_sums);
    finish_slots(block, job.mirror, tile, false);
    if (!are_likely && next == octets.count * 8) return;

    if (are_likely) clear_keys(block);  // but the threshold stays
    are_likely = false;
    if (has_sums) start_over(block, Alone{}, job, tile);
  }
}

/// Raises the threshold to a similarity that k documents reach, by finishing the likeliest slots.
/// The blocks of a team each finish their part of them. Collective (team.cuh).
template <typename Team>
__device__ void raise_by_likely_slots(const Block& block, const Team& team, const SearchJob& job,
                                      const TileView& tile, const Octets<Team>& octets) {
  const std::uint32_t share = (block.k + team.size() - 1) / team.size();

  // Each block finishes its share of the likeliest slots. If it has as many keys as its share, its
  // last one is a similarity that so many of its documents reach.
  std::uint32_t reached = 0;
  if (list_likely_slots(block, tile, octets, slot_bits_of(job, tile), share + share / 4)) {
    finish_slots(block, job.mirror, tile, false);
    __syncthreads();
    if (block.fixed.kept >= share) reached = bits_of(block.keys[share - 1]);
  }

  // The least over the blocks is reached by at least k documents in all. The call is made by all
  // blocks, whatever they found.
  reached = team.least(block, reached);
  __syncthreads();

  // The keys were only to find the threshold: their documents are found again by it.
  clear_keys(block);
  if (threadIdx.x == 0) {
    block.fixed.threshold = max(block.fixed.threshold, reached);
    block.fixed.listed = 0;
  }

  // Finishing has overwritten the sums.
  start_over(block, team, job, tile);
  team.gather(block, octets);
}

/// What a kernel does with a query that has more slots above the threshold than should be listed.
enum class Hard {
  kAnswer,  // answers it
  kDefer,   // leaves it to another kernel
  kExpect,  // takes every query for one
};

/// Searches a tile. False if the query is to be deferred. `is_last`: no tile comes after this one.
/// So a few candidates are not merged, and the memory is not made ready for another. Collective.
template <Hard kHard, typename Team>
__device__ bool search_tile(const Block& block, const Team& team, const SearchJob& job,
                            const TileView& tile, bool is_last) {
  if (block.fixed.query.terms == 0) return true;

  const auto octets = Octets<Team>::of(tile, team);
  const bool has_sums = plan_sums(block, job.mirror, tile);
  bool is_done = false;

  // The sums of this block's octets, with what the other blocks have of them.
  if (has_sums) {
    add_up(block, team, job.mirror, tile);
    team.gather(block, octets);

    // A better threshold leaves fewer slots to list. While there are fewer than k keys, it has to
    // come from the sums, or from the likeliest slots.
    FirstPass pass{0, 0};
    const bool expects = kHard == Hard::kExpect && team.all(block, finds_threshold(block));
    if (expects)
      raise_by_likely_slots(block, team, job, tile, octets);
    else if (block.fixed.kept < block.k && block.fixed.query.after == 0)
      pass = raise_threshold(block, tile, octets, slot_bits_of(job, tile));

    // Blocks of one query tell each other what they know.
    __syncthreads();
    if (!is_last) {
      share_floor(block, job);
      __syncthreads();
    }

    // A query of more slots than these is hard, unless its threshold is as good as it gets.
    is_done = list_slots(block, tile, octets, slot_bits_of(job, tile), pass) &&
              !(kHard != Hard::kExpect && finds_threshold(block) &&
                block.fixed.listed > 2 * block.k + kFewListed);
  }

  // Finishing uses the memory of the sums. A hard query is done in steps, or left to another
  // kernel.
  if (is_done)
    finish_slots(block, job.mirror, tile, is_last && block.fixed.kept == 0);
  else if constexpr (kHard != Hard::kDefer)
    search_in_steps(block, job, tile, octets, has_sums,
                    has_sums && kHard != Hard::kExpect && finds_threshold(block));

  if (!is_last) clear_sums(block, tile);
  return is_done || kHard != Hard::kDefer;
}

/// Searches part number `part` of `parts` of the mirror's tiles. False if the query is to be
/// deferred. Collective.
template <Hard kHard, typename Team>
__device__ bool search_tiles(const Block& block, const Team& team, const SearchJob& job,
                             std::uint32_t part, std::uint32_t parts) {
  const std::uint64_t tiles = job.mirror.tile_count;
  const auto end = static_cast<std::uint32_t>(tiles * (part + 1) / parts);
  for (auto t = static_cast<std::uint32_t>(tiles * part / parts); t < end; ++t)
    if (!search_tile<kHard>(block, team, job, job.mirror.tiles[t],
                            Team::kHasOneQuery && t + 1 == end))
      return false;
  return true;
}

}  // namespace kindred::cuda
