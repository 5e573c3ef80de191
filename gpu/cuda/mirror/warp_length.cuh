#pragma once

#include <cstdint>

#include "gpu/cuda/device/launch.cuh"
#include "gpu/scoring.h"

// Lengths by a warp, to the bits of euclidean_length() of gpu/scoring.h.

namespace kindred::cuda {

/// A number >= 0 that length_scale() treats as the largest `own` of a warp's lanes, for all lanes.
inline __device__ double warp_magnitude(double own) {
  const unsigned high = __reduce_max_sync(kWholeWarp, static_cast<unsigned>(__double2hiint(own)));
  if (high != 0) return __hiloint2double(static_cast<int>(high), 0);  // the exponent is enough
  for (unsigned mask = 16; mask > 0; mask /= 2)
    own = fmax(own, __shfl_xor_sync(kWholeWarp, own, mask));
  return own;
}

/// The sum of all lanes' `own`, of at most `entries` squares together, for all lanes.
inline __device__ SquareSum warp_sum(SquareSum own, std::uint64_t entries) {
  constexpr std::uint64_t kFitLow = 2048;  // of 2^52 each
  unsigned long long low = own.low, high = own.high;
  for (unsigned mask = 16; mask > 0; mask /= 2) {
    const unsigned long long other = __shfl_xor_sync(kWholeWarp, low, mask);
    if (entries > kFitLow)
      high += __shfl_xor_sync(kWholeWarp, high, mask) + (low + other < low ? 1 : 0);
    low += other;
  }
  return {low, high};
}

/// The length of weight_at(begin) .. weight_at(end - 1), each >= 0, for all lanes of a warp.
template <typename WeightAt>
__device__ double warp_length(std::uint64_t begin, std::uint64_t end, WeightAt&& weight_at) {
  constexpr unsigned kHeld = 4;  // weights that a lane keeps from the first pass for the second
  const std::uint64_t first = begin + threadIdx.x % 32, rest = first + kHeld * 32;
  double held[kHeld], largest = 0;
#pragma unroll
  for (unsigned j = 0; j < kHeld; ++j) {
    held[j] = first + j * 32 < end ? weight_at(first + j * 32) : 0;
    largest = fmax(largest, held[j]);
  }
#pragma unroll 4
  for (std::uint64_t i = rest; i < end; i += 32) largest = fmax(largest, weight_at(i));
  largest = warp_magnitude(largest);
  if (!(largest > 0) || isinf(largest)) return largest;
  const double scale = length_scale(largest);
  SquareSum sum;
#pragma unroll
  for (unsigned j = 0; j < kHeld; ++j) sum.add(held[j] * scale);
#pragma unroll 4
  for (std::uint64_t i = rest; i < end; i += 32) sum.add(weight_at(i) * scale);
  return warp_sum(sum, end - begin).root() / scale;
}

}  // namespace kindred::cuda
