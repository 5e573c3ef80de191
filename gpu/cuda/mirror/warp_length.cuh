#pragma once

#include <cstdint>

#include "gpu/scoring.h"

namespace kindred::cuda {

/// The largest of weight_at(begin) .. weight_at(end - 1), each >= 0, for all lanes of a warp.
template <typename WeightAt>
__device__ double warp_largest(std::uint64_t begin, std::uint64_t end, WeightAt&& weight_at) {
  double largest = 0;
  for (std::uint64_t i = begin + threadIdx.x % 32; i < end; i += 32)
    largest = fmax(largest, weight_at(i));
  for (unsigned mask = 16; mask > 0; mask /= 2)
    largest = fmax(largest, __shfl_xor_sync(0xFFFFFFFFu, largest, mask));
  return largest;
}

/// euclidean_length() of gpu/scoring.h, for all lanes of a warp.
template <typename WeightAt>
__device__ double warp_length(std::uint64_t begin, std::uint64_t end, WeightAt&& weight_at) {
  constexpr unsigned kWhole = 0xFFFFFFFFu;
  const double largest = warp_largest(begin, end, weight_at);
  if (!(largest > 0) || isinf(largest)) return largest;
  const double scale = length_scale(largest);
  SquareSum sum;
  for (std::uint64_t i = begin + threadIdx.x % 32; i < end; i += 32) sum.add(weight_at(i) * scale);
  for (unsigned mask = 16; mask > 0; mask /= 2) {
    sum.add({__shfl_xor_sync(kWhole, static_cast<unsigned long long>(sum.low), mask),
             __shfl_xor_sync(kWhole, static_cast<unsigned long long>(sum.high), mask)});
  }
  return sum.root() / scale;
}

}  // namespace kindred::cuda
