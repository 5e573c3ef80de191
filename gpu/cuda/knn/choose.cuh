#pragma once

#include "gpu/cuda/knn/rank.cuh"
#include "gpu/cuda/knn/team.cuh"

// Chooses a tile's slots by its sums: first a threshold that at least k documents reach, then the
// slots that can reach it. The documents of a tile are sorted by length, so one bound serves 64 of
// them, and eight sums are compared with it at once. Where one of the eight passes, each is
// compared with the bound of its own length.
//
// Names are those of docs/scoring.md, and z and m' those of search_tile.cuh. Each group of 64 has
// the largest r_d 2^62, rounded up to R, and the smallest, rounded down to R'.
//
// Which documents stay: with T' = T 2^(62-h) (1 - 2^-20), rounded to float, those whose a + z
// exceeds floor(T' (1 / R)), where 1 / R and the product are rounded down. That keeps every
// document with upper >= T, so rows may come in any order:
// 1. If upper >= T, then a + z >= T 2^(62-h) (1 - 2^-23) / R, as r_d 2^62 <= R: see "In single
//    precision" there.
// 2. The limit is at most T 2^(62-h) (1 - 2^-20) (1 + 2^-24) / R, which is less.
// 3. Where R is infinite, or there is no threshold, the limit is 0.
// 4. A limit above 2^16 - 1 is cut to that value, which no sum exceeds.
//
// The threshold: until k documents are finished, T comes from lower bounds. The tile is cut into
// parts that share no document. The k-th largest of their best (a - m') R' 2^(h-62) (1 - 2^-20) is
// at least T; the factor covers the roundings of the product and of the similarity. Afterwards T is
// at least the k-th exact similarity found so far. Blocks that share a query share the maximum of
// their T. Of 8 blocks, the least of their ceil(k/8)-th similarities is a T that at least k
// documents reach.
//
// A dead document has reciprocal 0. It bounds no group, and its sum is read as 0, as is that of a
// document that a filter excludes. Its postings are still added.

namespace kindred::cuda {

/// The sums of eight slots; 0 for slots that may not answer.
struct SlotSums {
  std::uint32_t word[4];
};

inline __device__ SlotSums read_sums(const Block& block, const std::uint32_t* slot_bits,
                                     std::uint32_t i) {
  const uint4 v = reinterpret_cast<const uint4*>(block.sums)[i];
  SlotSums sums{{v.x, v.y, v.z, v.w}};
  if (slot_bits == nullptr) return sums;

  // Two bits for each word: its even slot, then its odd one. Sums of slots that may not answer are
  // read as 0.
  const std::uint32_t bits = slot_bits[i / 4] >> i % 4 * 8;
  for (unsigned j = 0; j < 4; ++j) {
    if ((bits >> 2 * j & 1) == 0) sums.word[j] &= 0xFFFF0000u;
    if ((bits >> 2 * j & 2) == 0) sums.word[j] &= 0x0000FFFFu;
  }
  return sums;
}

/// The sum of slot number `j` of the eight.
inline __device__ std::uint32_t sum_of(const SlotSums& sums, std::uint32_t j) {
  const std::uint32_t word = sums.word[j / 2];
  return j % 2 == 0 ? word & 0xFFFF : word >> 16;
}

/// The largest sum of the even slots and the largest of the odd ones, each in its half of the word.
inline __device__ std::uint32_t largest_halves(const SlotSums& sums) {
  return __vmaxu2(__vmaxu2(sums.word[0], sums.word[1]), __vmaxu2(sums.word[2], sums.word[3]));
}

/// The largest sum in kOctets octets from `first` on, which share their bounds. Lanes
/// that read at the same time begin with different octets, so that they use different banks.
template <std::uint32_t kOctets>
__device__ std::uint32_t largest_sum(const Block& block, const std::uint32_t* slot_bits,
                                     std::uint32_t first) {
  static_assert(kGroupSlots / 8 % kOctets == 0);
  std::uint32_t halves = 0;
#pragma unroll
  for (std::uint32_t j = 0; j < kOctets; ++j) {
    const std::uint32_t i = first + (threadIdx.x * kOctets / 8 + j) % kOctets;
    halves = __vmaxu2(halves, largest_halves(read_sums(block, slot_bits, i)));
  }
  return max(halves & 0xFFFF, halves >> 16);
}

/// What a thread learned from a first look at its share: every kThreads-th set of octets.
struct FirstPass {
  std::uint32_t octets;  ///< in a set; 0: no look was taken
  float most;            ///< no octet can reach a SlotFilter::least() above this
};

/// How many terms a document of octet `i` can share with the query.
inline __device__ std::uint32_t most_shared(const Block& block, const TileView& tile,
                                            std::uint32_t i) {
  return min(std::uint32_t{__ldg(&tile.most_entries[i / 8])}, block.fixed.kept_terms);
}

/// What the sums of a tile may lack because runs were dropped.
class Dropped {
 public:
  __device__ Dropped(const Block& block, const TileView& tile)
      : tile_(tile), of_query_(block.fixed.dropped), each_(block.fixed.drop_each) {}

  /// What a sum of octet `i` may lack, rounded up. Most queries drop nothing, and then nothing is
  /// loaded.
  __device__ std::uint32_t units(std::uint32_t i) const {
    if (of_query_ == 0) return 0;
    const std::uint64_t of_document = std::uint64_t{__ldg(&tile_.most_entries[i / 8])} * each_;
    const auto least = static_cast<std::uint32_t>(min(std::uint64_t{of_query_}, of_document));
    return (least + (1u << kDropBits) - 1) >> kDropBits;
  }

 private:
  const TileView& tile_;
  const std::uint32_t of_query_, each_;
};

/// Raises the threshold to the k-th best of two lower bounds a thread, each of half of its sets.
template <std::uint32_t kOctets, typename Team, typename LowerBound>
__device__ FirstPass find_threshold(const Block& block, const TileView& tile,
                                    const Octets<Team>& octets, const std::uint32_t* slot_bits,
                                    LowerBound&& lower_bound) {
  const Dropped dropped(block, tile);
  FirstPass pass{kOctets, 0};
  float best[2] = {0, 0};

  // Looks at a set of octets: what its best slot reaches at least, for the threshold, and at most,
  // for the second look.
  const auto visit = [&](std::uint32_t i, float& own_best) {
    const std::uint32_t sum = largest_sum<kOctets>(block, slot_bits, i);
    const float2 bounds = __ldg(&tile.bounds[i / 8]);
    own_best = fmaxf(own_best, lower_bound(sum, most_shared(block, tile, i), bounds.y));
    pass.most = fmaxf(pass.most, __fdividef(static_cast<float>(sum + dropped.units(i)), bounds.x));
  };

  const std::uint32_t sets = octets.count / kOctets;
  for (std::uint32_t n = threadIdx.x; n < sets; n += 2 * kThreads) {
    visit(octets[n * kOctets], best[0]);
    if (n + kThreads < sets) visit(octets[(n + kThreads) * kOctets], best[1]);
  }

  pass.most *= 1 + 0x1p-18f;  // for the errors of this division and of SlotFilter
  raise_to_kth(block, block.k, block.fixed.threshold, [&](auto&& visit) {
    visit(__float_as_uint(best[0]));
    visit(__float_as_uint(best[1]));
  });
  return pass;
}

/// Raises the threshold to a similarity that at least k documents reach: the k-th best of many
/// lower bounds. Each is the best lower bound in half of a thread's octets or, if k is large, that
/// of one slot.
template <typename Team>
__device__ FirstPass raise_threshold(const Block& block, const TileView& tile,
                                     const Octets<Team>& octets, const std::uint32_t* slot_bits) {
  const float unit = ldexpf(1 - 0x1p-20f, block.fixed.shift - 62);
  // Each term that a document shares with the query was rounded up by less than a unit.
  const auto lower_bound = [&](std::uint32_t sum, std::uint32_t shared, float smallest) {
    return __fmul_rd(static_cast<float>(max(sum, shared) - shared), smallest) * unit;
  };

  // Many neighbors need many bounds: one for each slot.
  if (block.k > kThreads / 4) {
    raise_to_kth(block, block.k, block.fixed.threshold, [&](auto&& visit) {
      for (std::uint32_t n = threadIdx.x; n < octets.count; n += kThreads) {
        const std::uint32_t i = octets[n];
        const SlotSums sums = read_sums(block, slot_bits, i);
        const float smallest = __ldg(&tile.bounds[i / 8].y);
        const std::uint32_t shared = most_shared(block, tile, i);
#pragma unroll
        for (std::uint32_t j = 0; j < 8; ++j)
          visit(__float_as_uint(lower_bound(sum_of(sums, j), shared, smallest)));
      }
    });
    return {0, 0};
  }

  // A look at many octets costs less, but there should be more looks than wanted bounds.
  constexpr std::uint32_t kMany = 4;
  return octets.count >= 2 * kMany * kThreads
             ? find_threshold<kMany>(block, tile, octets, slot_bits, lower_bound)
             : find_threshold<1>(block, tile, octets, slot_bits, lower_bound);
}

/// The slots of a tile that may reach the threshold.
class SlotFilter {
 public:
  __device__ SlotFilter(const Block& block, const TileView& tile, const std::uint32_t* slot_bits)
      : block_(block),
        tile_(tile),
        slot_bits_(slot_bits),
        least_(threshold_of(block) * ldexpf(1 - 0x1p-20f, 62 - block.fixed.shift)),
        dropped_(block, tile) {}

  /// The threshold in units of sum * r_d * 2^62, lowered by one part in 2^20, which covers all
  /// roundings (docs/scoring.md).
  __device__ float least() const { return least_; }

  /// True if one of the slots of octet `i` may pass.
  __device__ bool may_pass(std::uint32_t i) const {
    const std::uint32_t limits = limit(__ldg(&tile_.bounds[i / 8].x)) * 0x10001;
    const std::uint32_t halves = largest_halves(read_sums(block_, slot_bits_, i));
    return __vmaxu2(halves + dropped_.units(i) * 0x10001, limits) != limits;
  }

  /// True if a slot may answer at all.
  __device__ bool answers(std::uint32_t slot) const {
    return slot_bits_ == nullptr || (slot_bits_[slot / 32] >> slot % 32 & 1) != 0;
  }

  /// True if a slot whose sum is `sum` passes. Where all of a group have nearly one length, which
  /// is nearly everywhere, its bound will do, and the slot's own length need not be loaded.
  __device__ bool passes(std::uint32_t slot, std::uint32_t sum) const {
    if (slot >= tile_.slots) return false;
    const float2 bounds = __ldg(&tile_.bounds[slot / kGroupSlots]);
    const bool is_even = bounds.x * bounds.y >= kEven;
    const float length = is_even ? bounds.x : __ldg(&tile_.slot_length[slot]);
    const std::uint32_t most = sum + dropped_.units(slot / 8);
    return length < INFINITY && most > limit(length) && answers(slot);
  }

 private:
  static constexpr float kEven = 1 - 0x1p-6f;  // of the least r_d of a group to its largest

  /// A slot of this bound cannot reach the threshold if its sum is at most this.
  __device__ std::uint32_t limit(float bound) const {
    return min(__float2uint_rd(__fmul_rd(least_, bound)), 0xFFFFu);
  }

  const Block& block_;
  const TileView& tile_;
  const std::uint32_t* const slot_bits_;
  const float least_;
  const Dropped dropped_;
};

inline __device__ void push_slot(const Block& block, std::uint32_t slot) {
  const std::uint32_t i = atomicAdd(&block.fixed.listed, 1u);
  if (i < kListed) block.slots().slot[i] = static_cast<std::uint16_t>(slot);
}

/// Lists the octets in which a slot may pass. True if they fit the list. After a first look, all
/// threads together look again, only at the octets of those threads that saw such a slot.
template <typename Team>
__device__ bool list_octets(const Block& block, const Octets<Team>& octets,
                            const SlotFilter& filter, const FirstPass& pass) {
  const auto list_octet = [&](std::uint32_t i) {
    if (!filter.may_pass(i)) return;
    const std::uint32_t place = atomicAdd(&block.fixed.octets, 1u);
    if (place < kCandidates) block.slots().octet[place] = static_cast<std::uint16_t>(i);
  };

  // Each thread that saw a slot that may pass is listed; then all threads share the octets that
  // those had.
  if (pass.octets > 0) {
    std::uint16_t* const saw_some = block.slots().slot;
    if (pass.most >= filter.least())
      saw_some[atomicAdd(&block.fixed.listed, 1u)] = static_cast<std::uint16_t>(threadIdx.x);
    __syncthreads();

    const std::uint32_t threads = block.fixed.listed, sets = octets.count / pass.octets;
    const std::uint32_t all = threads * ((sets + kThreads - 1) / kThreads) * pass.octets;
    for (std::uint32_t n = threadIdx.x; n < all; n += kThreads) {
      const std::uint32_t nth = n / pass.octets;
      const std::uint32_t own = saw_some[nth % threads] + nth / threads * kThreads;
      if (own < sets) list_octet(octets[own * pass.octets + n % pass.octets]);
    }
  } else {
#pragma unroll 4
    for (std::uint32_t n = threadIdx.x; n < octets.count; n += kThreads) list_octet(octets[n]);
  }

  __syncthreads();
  if (threadIdx.x == 0) block.fixed.listed = 0;
  __syncthreads();
  return block.fixed.octets <= kCandidates;
}

/// Lists the slots that may reach the threshold. True if there was room for all. Begins and ends
/// with a barrier.
template <typename Team>
__device__ bool list_slots(const Block& block, const TileView& tile, const Octets<Team>& octets,
                           const std::uint32_t* slot_bits, const FirstPass& pass) {
  const SlotFilter filter(block, tile, slot_bits);
  const auto list_slot = [&](std::uint32_t i, std::uint32_t j) {
    const std::uint32_t slot = i * 8 + j;
    if (filter.passes(slot, sum_of(read_sums(block, nullptr, i), j))) push_slot(block, slot);
  };

  // Slots are listed by octets that passed or, if these did not fit their list, from all octets.
  if (list_octets(block, octets, filter, pass)) {
    for (std::uint32_t n = threadIdx.x; n < block.fixed.octets * 8; n += kThreads)
      list_slot(block.slots().octet[n / 8], n % 8);
  } else {
    for (std::uint32_t n = threadIdx.x; n < octets.count * 8; n += kThreads)
      list_slot(octets[n / 8], n % 8);
  }

  __syncthreads();
  if (threadIdx.x == 0) block.fixed.octets = 0;
  return block.fixed.listed <= kListed;
}

/// Lists those of the octets' slots that may reach the threshold, or, if there are no sums, all
/// that may answer, from the one with number `first` on until the list is nearly full. Returns the
/// number to go on with. Begins and ends with a barrier.
template <typename Team>
__device__ std::uint32_t list_some_slots(const Block& block, const TileView& tile,
                                         const Octets<Team>& octets, std::uint32_t first,
                                         const std::uint32_t* slot_bits, bool has_sums) {
  __syncthreads();
  if (threadIdx.x == 0) block.fixed.listed = 0;
  __syncthreads();

  const SlotFilter filter(block, tile, slot_bits);
  const auto passes = [&](std::uint32_t slot) {
    return has_sums ? filter.passes(slot, sum_of(read_sums(block, nullptr, slot / 8), slot % 8))
                    : slot < tile.slots && filter.answers(slot);
  };

  // A round lists at most one slot for each thread, so it begins only if there is room for that.
  const std::uint32_t end = octets.count * 8;
  while (first < end && block.fixed.listed <= kListed - kThreads) {
    __syncthreads();  // all have read how many are listed
    const std::uint32_t n = first + threadIdx.x;
    if (n < end && passes(octets[n / 8] * 8 + n % 8)) push_slot(block, octets[n / 8] * 8 + n % 8);
    first += kThreads;
    __syncthreads();
  }

  return min(first, end);
}

/// Lists about `wanted` slots that seem to be the best. True if there are so many, and room for
/// all. Begins and ends with a barrier.
template <typename Team>
__device__ bool list_likely_slots(const Block& block, const TileView& tile,
                                  const Octets<Team>& octets, const std::uint32_t* slot_bits,
                                  std::uint32_t wanted) {
  __syncthreads();
  if (threadIdx.x == 0) block.fixed.listed = block.fixed.estimate = 0;
  __syncthreads();

  const float unit = ldexpf(1, block.fixed.shift - 62);

  // The estimate is the similarity by the coarse sum. It is only to find likely slots, so it needs
  // no bound.
  const auto estimate_each = [&](auto&& visit) {
    for (std::uint32_t n = threadIdx.x; n < octets.count; n += kThreads) {
      const std::uint32_t i = octets[n];
      const SlotSums sums = read_sums(block, slot_bits, i);
      for (std::uint32_t j = 0; j < 8; ++j) {
        const float length = __ldg(&tile.slot_length[i * 8 + j]);
        const float estimate = __fdividef(static_cast<float>(sum_of(sums, j)), length) * unit;
        visit(__float_as_uint(estimate), i * 8 + j);
      }
    }
  };

  // The first pass finds the wanted-th best estimate, the second lists those that reach it.
  raise_to_kth(block, wanted, block.fixed.estimate, [&](auto&& visit) {
    estimate_each([&](std::uint32_t bits, std::uint32_t) {
      visit(bits);
    });
  });
  __syncthreads();

  const std::uint32_t least = block.fixed.estimate;
  if (least == 0) return false;
  estimate_each([&](std::uint32_t bits, std::uint32_t slot) {
    if (bits >= least) push_slot(block, slot);
  });

  __syncthreads();
  return block.fixed.listed <= kListed;
}

}  // namespace kindred::cuda
