#pragma once

#include <cuda.h>

#include "gpu/cuda/device/cuda_check.cuh"

namespace kindred::cuda {

/// A device's primary context, which the CUDA runtime works in: kept for as long as this is there.
class PrimaryContext {
 public:
  /// @throws Error kOutOfMemory, kDevice.
  explicit PrimaryContext(int ordinal);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;

  /// Makes it the calling thread's. leave() gives the thread back what it had: the primary context
  /// of this or another device, one that its program made, or none. cudaSetDevice() could not: it
  /// replaces a context that the program made, and sets up a device where there was none.
  cudaError_t enter() const noexcept;
  static void leave() noexcept;

 private:
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
};

}  // namespace kindred::cuda
