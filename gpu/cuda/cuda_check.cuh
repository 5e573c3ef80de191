#pragma once

#include <cuda_runtime.h>

namespace kindred::cuda {

/// The one place where a CUDA status becomes an error. `what` says what was being done.
/// @throws Error kOutOfMemory; kUnsupported where this build has no code for the device; kDevice
/// for anything else that is not cudaSuccess.
void cuda_check(cudaError_t status, const char* what);

/// Checks a kernel launch that has just been made.
inline void launch_check(const char* kernel) { cuda_check(cudaGetLastError(), kernel); }

}  // namespace kindred::cuda
