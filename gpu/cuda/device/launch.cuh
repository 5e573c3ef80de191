#pragma once

#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>

#include "gpu/cuda/device/checks.cuh"

namespace kindred::cuda {

/// The only place where a CUDA status becomes an error. `what` says what was being done.
/// @throws Error kOutOfMemory; kUnsupported where this build has no code for the device; kDevice
/// for anything else that is not cudaSuccess. If the process has lost its CUDA context, the message
/// says so, and what the host can do.
void cuda_check(cudaError_t status, const char* what);

/// For destructors: the error is not reported, and is cleared so that the next check does not find
/// it.
inline void ignore_status(cudaError_t status) noexcept {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
}

/// Checks a kernel launch that has just been made: by the status that it returned, or by the last
/// one of the thread.
inline void launch_check(const char* kernel, cudaError_t status) {
  cuda_check(status, kernel);
  if constexpr (kChecks) note_launch(kernel);
}
inline void launch_check(const char* kernel) { launch_check(kernel, cudaGetLastError()); }

/// Every lane of a warp, for functions that take a mask of lanes.
inline constexpr unsigned kWholeWarp = 0xFFFFFFFFu;

/// The threads of a block, in kernels that do not depend on it.
inline constexpr unsigned kBlockThreads = 256;

/// How many blocks `items` need when each handles `per_block`: at least one, as a grid cannot be
/// empty.
inline unsigned blocks_for(std::uint64_t items, unsigned per_block = kBlockThreads) {
  return static_cast<unsigned>(std::max<std::uint64_t>(1, (items + per_block - 1) / per_block));
}

#ifdef __CUDACC__  // sources without kernels have no intrinsics
/// The sum of `value` over the lanes of the warp before this one.
inline __device__ std::uint32_t sum_before(std::uint32_t value) {
  const unsigned lane = threadIdx.x % 32;

  // Each round adds what is twice as far away (Hillis and Steele).
  std::uint32_t sum = value;
  for (unsigned stride = 1; stride < 32; stride *= 2) {
    const std::uint32_t more = __shfl_up_sync(kWholeWarp, sum, stride);
    if (lane >= stride) sum += more;
  }
  return sum - value;
}

/// The first of 0 .. n - 1 that is not before what is looked for, else n. is_before() is true of
/// the first ones only.
template <typename IsBefore>
__device__ std::uint32_t find_first(std::uint32_t n, IsBefore&& is_before) {
  std::uint32_t low = 0;
  std::uint32_t high = n;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (is_before(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
#endif

}  // namespace kindred::cuda
