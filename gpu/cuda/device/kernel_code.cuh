#pragma once

#include <cstddef>
#include <string>

#include "gpu/cuda/device/device.cuh"

/// Code that is compiled for less than this __CUDA_ARCH__ has no clusters: blocks that read each
/// other's shared memory.
#define KINDRED_CLUSTER_ARCH 900

namespace kindred::cuda {

/// What a kernel was compiled for, as the device has loaded it. The device may be more than that: a
/// GPU of 9.0 also runs PTX of 8.0, which has no clusters. So whoever launches a kernel asks its
/// code, and not the device, for whatever the code is compiled for.
struct KernelCode {
  int architecture = 0;          ///< __CUDA_ARCH__ when it was compiled: 900 for 9.0
  std::size_t shared_bytes = 0;  ///< of a block's memory, beside what a launch asks for

  bool has_clusters() const { return architecture >= KINDRED_CLUSTER_ARCH; }
  /// The device and the code that it runs: "NVIDIA H200 (code for 9.0)".
  std::string on(const Device& device) const;
};

/// Loads a kernel, if it is not loaded, and says what it is. Called in a scope of the device.
/// @throws Error kUnsupported if this build has no code for the device; kDevice.
KernelCode code_of(const Device& device, const void* kernel);

}  // namespace kindred::cuda
