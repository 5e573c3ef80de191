#pragma once

#include <cuda_runtime.h>

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

}  // namespace kindred::cuda
