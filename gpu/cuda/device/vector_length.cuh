#pragma once

#include <cstdint>

#include "gpu/cuda/device/launch.cuh"
#include "gpu/scoring.h"

// Lengths to the bits of euclidean_length() of gpu/scoring.h, by the lanes that work on one vector:
// those of a warp, or all of a block.

namespace kindred::cuda {

struct WarpLanes {
  static constexpr unsigned kCount = 32;
  static __device__ unsigned own() { return threadIdx.x % kCount; }

  /// The largest of the lanes' values, for all lanes. So are the results of the others.
  static __device__ unsigned largest(unsigned own) { return __reduce_max_sync(kWholeWarp, own); }

  /// A number >= 0 that length_scale() treats as the largest value.
  static __device__ double magnitude(double own) {
    const unsigned high = __reduce_max_sync(kWholeWarp, static_cast<unsigned>(__double2hiint(own)));
    if (high != 0) return __hiloint2double(static_cast<int>(high), 0);  // the exponent is enough

    // The upper halves of all are 0, so only the lower ones tell.
    for (unsigned mask = 16; mask > 0; mask /= 2)
      own = fmax(own, __shfl_xor_sync(kWholeWarp, own, mask));
    return own;
  }

  /// The sum of the values, which are sums of at most `entries` squares together.
  static __device__ SquareSum sum(SquareSum own, std::uint64_t entries) {
    constexpr std::uint64_t kFitLow = 2048;  // of 2^52 each

    // An integer of 128 bits: the carry of the lower halves counts. Few squares do not reach the
    // upper half.
    unsigned long long low = own.low, high = own.high;
    for (unsigned mask = 16; mask > 0; mask /= 2) {
      const unsigned long long other = __shfl_xor_sync(kWholeWarp, low, mask);
      low += other;
      if (entries > kFitLow) {
        high += __shfl_xor_sync(kWholeWarp, high, mask);
        if (low < other) ++high;
      }
    }
    return {low, high};
  }
};

/// The threads of a block of kBlockThreads.
struct BlockLanes {
  static constexpr unsigned kCount = kBlockThreads;
  static __device__ unsigned own() { return threadIdx.x; }

  static __device__ unsigned largest(unsigned own) {
    return over_warps(WarpLanes::largest(own), [](unsigned a, unsigned b) {
      return max(a, b);
    });
  }
  static __device__ double magnitude(double own) {
    return over_warps(WarpLanes::magnitude(own), [](double a, double b) {
      return fmax(a, b);
    });
  }
  static __device__ SquareSum sum(SquareSum own, std::uint64_t entries) {
    return over_warps(WarpLanes::sum(own, entries), [](SquareSum a, const SquareSum& b) {
      a.add(b);
      return a;
    });
  }

 private:
  /// Joins the values of all warps, for all threads.
  template <typename Value, typename Join>
  static __device__ Value over_warps(Value own, Join&& join) {
    constexpr unsigned kWarps = kBlockThreads / 32;
    __shared__ Value of_warp[kWarps];
    __syncthreads();  // the values of a join before have been read
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = own;
    __syncthreads();

    Value all = of_warp[0];
    for (unsigned warp = 1; warp < kWarps; ++warp) all = join(all, of_warp[warp]);
    return all;
  }
};

/// The length of weight_at(begin) .. weight_at(end - 1), each >= 0, for all lanes.
template <typename Lanes, typename WeightAt>
__device__ double vector_length(std::uint64_t begin, std::uint64_t end, WeightAt&& weight_at) {
  constexpr unsigned kHeld = 4;  // weights that a lane keeps from the first pass for the second
  const std::uint64_t first = begin + Lanes::own();
  const std::uint64_t rest = first + kHeld * Lanes::kCount;

  // First pass: the largest weight. The first weights of each lane are kept, so most vectors are
  // weighed once.
  double held[kHeld];
  double largest = 0;
#pragma unroll
  for (unsigned j = 0; j < kHeld; ++j) {
    const std::uint64_t i = first + j * Lanes::kCount;
    held[j] = i < end ? weight_at(i) : 0;
    largest = fmax(largest, held[j]);
  }
#pragma unroll 4
  for (std::uint64_t i = rest; i < end; i += Lanes::kCount) largest = fmax(largest, weight_at(i));

  largest = Lanes::magnitude(largest);
  if (!(largest > 0) || isinf(largest)) return largest;

  // Second pass: squares of scaled weights, as integers, so that their order does not matter.
  const double scale = length_scale(largest);
  SquareSum sum;
#pragma unroll
  for (unsigned j = 0; j < kHeld; ++j) sum.add(held[j] * scale);
#pragma unroll 4
  for (std::uint64_t i = rest; i < end; i += Lanes::kCount) sum.add(weight_at(i) * scale);

  return Lanes::sum(sum, end - begin).root() / scale;
}

}  // namespace kindred::cuda
