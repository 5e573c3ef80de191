#pragma once

#include <cuda.h>

#include "gpu/cuda/device/launch.cuh"

namespace kindred::cuda {

/// A device's primary context, in which the CUDA runtime works. It exists at least as long as this
/// object.
class PrimaryContext {
 public:
  /// @throws Error kOutOfMemory, kDevice.
  explicit PrimaryContext(int ordinal);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;

  /// Makes the context current in the calling thread. leave() restores what was current before: the
  /// primary context of this or another device, a context that the program made, or none.
  /// cudaSetDevice() could not do that: it replaces a context that the program made, and sets up a
  /// device where none was current.
  cudaError_t enter() const noexcept;
  static void leave() noexcept;

 private:
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
};

}  // namespace kindred::cuda
