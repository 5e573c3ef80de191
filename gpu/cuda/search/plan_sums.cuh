#pragma once

#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/mirror/chunk_layout.cuh"
#include "gpu/cuda/search/search_block.cuh"

// Decides how a query's contributions are rounded in a tile: the finer the unit of the coarse sums,
// the fewer documents have to be finished.

namespace kindred::cuda {

/// What no document of the tile can exceed: the sum of the largest contribution of each term. Only
/// where larger counts never weigh less. All threads of the block; ends with a barrier.
inline __device__ float most_of_terms(const Block& block, const MirrorView& mirror,
                                      const TileView& tile) {
  const Query& query = block.fixed.query;
  float sum = 0;
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
  if (terms > kFilterTerms) return false;
  double most = tile.longest * (1 + 0x1p-20);
  long long drop_below = 0;
  // Where roundings are below 2^-7 of a middling document's length, nothing better is needed.
  const bool is_rough = tile.middle < 1 && terms * most > tile.middle * 0x1p71;
  if (is_rough && mirror.tf_ascends) {
    most = fmin(most, most_of_terms(block, mirror, tile) * (1 + 0x1p-10));
    drop_below = smallest_added(tile.middle, terms);
  }
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

}  // namespace kindred::cuda
