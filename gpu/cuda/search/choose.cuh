#pragma once

#include "gpu/cuda/search/finish.cuh"
#include "gpu/cuda/search/kth_largest.cuh"
#include "gpu/cuda/search/team.cuh"

// Chooses candidates by a tile's sums: first a threshold that at least k documents reach, then the
// documents that can reach it. The documents of a tile are sorted by length, so one bound serves 64
// of them, and eight sums are compared with it at once.

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
  const std::uint32_t bits = slot_bits[i / 4] >> i % 4 * 8;
  for (unsigned j = 0; j < 4; ++j) {
    if ((bits >> 2 * j & 1) == 0) sums.word[j] &= 0xFFFF0000u;
    if ((bits >> 2 * j & 2) == 0) sums.word[j] &= 0x0000FFFFu;
  }
  return sums;
}

/// The largest sum of the even slots and the largest of the odd ones, each in its half of the word.
inline __device__ std::uint32_t largest_halves(const SlotSums& sums) {
  return __vmaxu2(__vmaxu2(sums.word[0], sums.word[1]), __vmaxu2(sums.word[2], sums.word[3]));
}

/// What a thread learned from a first look at its pieces of 8 slots, which are every kThreads-th
/// piece.
struct FirstLook {
  bool was_taken;
  float most;  ///< no piece can reach a filter_threshold() above this
};

/// Raises the threshold to a similarity that at least k documents reach: the k-th best of many
/// lower bounds. Each is the best lower bound in half of a thread's pieces, or, if k is large, in
/// one piece.
inline __device__ FirstLook raise_threshold(const Block& block, const TileView& tile,
                                            const Pieces& pieces, const std::uint32_t* slot_bits) {
  const float unit = ldexpf(1 - 0x1p-20f, block.fixed.shift - 62);
  const std::uint32_t terms = block.fixed.query.terms;
  const auto largest_sum = [&](std::uint32_t i) {
    const std::uint32_t halves = largest_halves(read_sums(block, slot_bits, i));
    return max(halves & 0xFFFF, halves >> 16);
  };
  const auto lower_bound = [&](std::uint32_t sum, float smallest) {
    return __fmul_rd(static_cast<float>(max(sum, terms) - terms), smallest) * unit;
  };
  if (block.k > kThreads / 4) {
    raise_to_kth(block, block.k, [&](auto&& visit) {
      for (std::uint32_t i = pieces.begin + threadIdx.x; i < pieces.end; i += kThreads)
        visit(__float_as_uint(lower_bound(largest_sum(i), __ldg(&tile.bounds[i / 8].y))));
    });
    return {false, 0};
  }
  FirstLook look{true, 0};
  float best[2] = {0, 0};
  const auto look_at = [&](std::uint32_t i, float& own_best) {
    const std::uint32_t sum = largest_sum(i);
    const float2 bounds = __ldg(&tile.bounds[i / 8]);
    own_best = fmaxf(own_best, lower_bound(sum, bounds.y));
    look.most = fmaxf(look.most, __fdividef(static_cast<float>(sum), bounds.x));
  };
  for (std::uint32_t i = pieces.begin + threadIdx.x; i < pieces.end; i += 2 * kThreads) {
    look_at(i, best[0]);
    if (i + kThreads < pieces.end) look_at(i + kThreads, best[1]);
  }
  look.most *= 1 + 0x1p-18f;  // for the errors of this division and of sum_limit()
  raise_to_kth(block, block.k, [&](auto&& visit) {
    visit(__float_as_uint(best[0]));
    visit(__float_as_uint(best[1]));
  });
  return look;
}

/// The threshold in units of sum * r_d * 2^62, lowered by one part in 2^20, which covers all
/// roundings (docs/scoring.md).
inline __device__ float filter_threshold(const Block& block) {
  return threshold_of(block) * ldexpf(1 - 0x1p-20f, 62 - block.fixed.shift);
}

/// A slot of a group cannot reach the threshold if its sum is at most this.
inline __device__ std::uint32_t sum_limit(float least, float bound) {
  return min(__float2uint_rd(__fmul_rd(least, bound)), 0xFFFFu);
}

/// Lists piece i if one of its slots may reach the threshold.
inline __device__ void list_piece(const Block& block, const TileView& tile,
                                  const std::uint32_t* slot_bits, float least, std::uint32_t i) {
  const std::uint32_t limits = sum_limit(least, __ldg(&tile.bounds[i / 8].x)) * 0x10001;
  if (__vmaxu2(largest_halves(read_sums(block, slot_bits, i)), limits) == limits) return;
  const std::uint32_t place = atomicAdd(&block.fixed.pieces, 1u);
  if (place < kCandidates) block.list().piece[place] = static_cast<std::uint16_t>(i);
}

/// Lists the pieces in which a slot may reach the threshold. True if they fit the list. After a
/// first look, all threads together look again, only at the pieces of those threads that saw such a
/// slot.
inline __device__ bool list_pieces(const Block& block, const TileView& tile, const Pieces& pieces,
                                   const std::uint32_t* slot_bits, float least,
                                   const FirstLook& look) {
  if (look.was_taken) {
    auto* const saw_some = reinterpret_cast<std::uint16_t*>(block.candidates());
    if (look.most >= least)
      saw_some[atomicAdd(&block.fixed.found, 1u)] = static_cast<std::uint16_t>(threadIdx.x);
    __syncthreads();
    const std::uint32_t threads = block.fixed.found;
    const std::uint32_t each = (pieces.end - pieces.begin + kThreads - 1) / kThreads;
    for (std::uint32_t n = threadIdx.x; n < threads * each; n += kThreads) {
      const std::uint32_t i = pieces.begin + saw_some[n % threads] + n / threads * kThreads;
      if (i < pieces.end) list_piece(block, tile, slot_bits, least, i);
    }
  } else {
#pragma unroll 4
    for (std::uint32_t i = pieces.begin + threadIdx.x; i < pieces.end; i += kThreads)
      list_piece(block, tile, slot_bits, least, i);
  }
  __syncthreads();
  if (threadIdx.x == 0) block.fixed.found = 0;
  __syncthreads();
  return block.fixed.pieces <= kCandidates;
}

/// Makes candidates of the slots that may reach the threshold. True if there was room for all.
inline __device__ bool collect_candidates(const Block& block, const TileView& tile,
                                          const Pieces& pieces, const std::uint32_t* slot_bits,
                                          const FirstLook& look) {
  const float least = filter_threshold(block);
  const bool fits = list_pieces(block, tile, pieces, slot_bits, least, look);
  const std::uint32_t listed = block.fixed.pieces;
  for (std::uint32_t n = threadIdx.x; fits && n < listed * 8; n += kThreads) {
    const std::uint32_t i = block.list().piece[n / 8];
    const SlotSums sums = read_sums(block, slot_bits, i);
    const std::uint32_t word = sums.word[n % 8 / 2];
    const std::uint32_t sum = n % 2 == 0 ? word & 0xFFFF : word >> 16;
    if (sum > sum_limit(least, __ldg(&tile.bounds[i / 8].x))) push_key(block, i * 8 + n % 8);
  }
  __syncthreads();
  if (threadIdx.x == 0) block.fixed.pieces = 0;
  return fits && block.fixed.found <= kCandidates;
}

/// The same where there are too many candidates at once: takes one slot per thread at a time, and
/// finishes the candidates whenever their list is nearly full.
inline __device__ void collect_in_steps(const Block& block, const MirrorView& mirror,
                                        const TileView& tile, const Pieces& pieces,
                                        const std::uint32_t* slot_bits) {
  __syncthreads();
  if (threadIdx.x == 0) block.fixed.found = 0;
  __syncthreads();
  for (std::uint32_t first = pieces.begin * 8; first < pieces.end * 8; first += kThreads) {
    const std::uint32_t slot = first + threadIdx.x;
    const float least = filter_threshold(block);
    if (slot < pieces.end * 8) {
      const SlotSums sums = read_sums(block, slot_bits, slot / 8);
      const std::uint32_t word = sums.word[slot % 8 / 2];
      const std::uint32_t sum = slot % 2 == 0 ? word & 0xFFFF : word >> 16;
      if (sum > sum_limit(least, tile.bounds[slot / kGroupSlots].x)) push_key(block, slot);
    }
    make_room<finish_one_by_one>(block, mirror, &tile);
  }
}

}  // namespace kindred::cuda
