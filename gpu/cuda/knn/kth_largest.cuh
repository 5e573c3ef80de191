#pragma once

#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/knn/search_block.cuh"

// Finds a threshold that k of many similarities reach.

namespace kindred::cuda {

/// The bin of the k-th largest of the values counted in bins[0 .. kCount), by one warp; number 0 if
/// fewer than k were counted. Bin 0 is empty.
template <std::uint32_t kCount>
__device__ Bin find_bin(const std::uint32_t* bins, std::uint32_t k) {
  constexpr std::uint32_t kEach = kCount / 32;  // bins of a lane; lane 31 has the uppermost
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t count[kEach], own = 0;
#pragma unroll
  for (std::uint32_t j = 0; j < kEach; ++j) own += count[j] = bins[lane * kEach + j];
  std::uint32_t above = own;  // of this lane and those after it
  for (unsigned stride = 1; stride < 32; stride *= 2) {
    const std::uint32_t more = __shfl_down_sync(kWholeWarp, above, stride);
    if (lane + stride < 32) above += more;
  }
  above -= own;
  Bin found{0, 0};
#pragma unroll
  for (std::uint32_t j = kEach; j-- > 0; above += count[j])
    if (above < k && above + count[j] >= k) found = {lane * kEach + j, above};
  return {__reduce_max_sync(kWholeWarp, found.number), __reduce_max_sync(kWholeWarp, found.above)};
}

/// Clears bins; all threads of the block.
inline __device__ void clear_bins(std::uint32_t* bins, std::uint32_t n) {
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) bins[i] = 0;
  __syncthreads();
}

/// The bin of a lower bound, given as the bits of a float. Bin 0 is for values that are too small
/// for a threshold.
inline __device__ std::uint32_t bin_of(std::uint32_t bits) {
  const std::uint32_t bin = bits >> kBinShift;
  return bin <= kFirstBin ? 0 : min(bin - kFirstBin, kBins - 1);
}

/// Raises `threshold`, the bits of a float, to the k-th largest of the values of all threads, to
/// within 2^-11 of it, by a histogram in two rounds. for_each(visit) visits this thread's values as
/// bits of floats. Uses the memory of the candidates. The new threshold holds after the caller's
/// next barrier.
template <typename ForEach>
__device__ void raise_to_kth(const Block& block, std::uint32_t k, std::uint32_t& threshold,
                             ForEach&& for_each) {
  std::uint32_t* const bins = block.bins();
  std::uint32_t* const fine_bins = bins + kBins;
  clear_bins(bins, kBins + kFineBins);
  for_each([&](std::uint32_t bits) {
    if (bin_of(bits) > 0) atomicAdd(&bins[bin_of(bits)], 1u);
  });
  __syncthreads();
  if (threadIdx.x < 32) {
    const Bin bin = find_bin<kBins>(bins, k);
    if (threadIdx.x == 0) block.fixed.bin = bin;
  }
  __syncthreads();
  const Bin coarse = block.fixed.bin;
  if (coarse.number == 0) return;
  for_each([&](std::uint32_t bits) {
    const std::uint32_t fine = bits >> (kBinShift - kFineBits) & ((1u << kFineBits) - 1);
    if (bin_of(bits) == coarse.number) atomicAdd(&fine_bins[1 + fine], 1u);
  });
  __syncthreads();
  if (threadIdx.x >= 32) return;
  const Bin fine = find_bin<kFineBins>(fine_bins, k - coarse.above);
  const std::uint32_t bits =
      (coarse.number + kFirstBin) << kBinShift | (fine.number - 1) << (kBinShift - kFineBits);
  if (threadIdx.x == 0) threshold = max(threshold, bits);
}

}  // namespace kindred::cuda
