#pragma once

#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>

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

/// Checks a kernel launch that has just been made.
inline void launch_check(const char* kernel) { cuda_check(cudaGetLastError(), kernel); }

/// Every lane of a warp, for functions that take a mask of lanes.
inline constexpr unsigned kWholeWarp = 0xFFFFFFFFu;

/// The threads of a block, in kernels that do not depend on it.
inline constexpr unsigned kBlockThreads = 256;

/// How many blocks `items` need when each handles `per_block`: at least one, as a grid cannot be
/// empty.
inline unsigned blocks_for(std::uint64_t items, unsigned per_block = kBlockThreads) {
  return static_cast<unsigned>(std::max<std::uint64_t>(1, (items + per_block - 1) / per_block));
}

}  // namespace kindred::cuda
