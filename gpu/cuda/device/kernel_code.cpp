#include "gpu/cuda/device/kernel_code.cuh"

#include <algorithm>
#include <array>

#include "config/error.h"

namespace kindred::cuda {
namespace {

/// The statuses by which CUDA says that a program has neither code for a device nor PTX that it
/// may compile for it.
constexpr std::array kNoCode = {cudaErrorNoKernelImageForDevice, cudaErrorInvalidDeviceFunction,
                                cudaErrorUnsupportedPtxVersion, cudaErrorJitCompilationDisabled,
                                cudaErrorInvalidPtx};

}  // namespace

std::string KernelCode::on(const Device& device) const {
  return device.name() + " (code for " + std::to_string(architecture / 100) + "." +
         std::to_string(architecture / 10 % 10) + ")";
}

KernelCode code_of(const Device& device, const void* kernel) {
  cudaFuncAttributes attributes{};
  const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel);

  // These statuses speak of the build, not of the device, so the host may look for another backend.
  if (std::ranges::find(kNoCode, status) != kNoCode.end()) {
    ignore_status(status);
    throw Error(Errc::kUnsupported, "this build of Kindred has no code for " + device.name() +
                                        " (compute capability " + device.compute_capability() +
                                        "): " + cudaGetErrorString(status));
  }

  cuda_check(status, "kernel");
  // Not the binary version: that of PTX is the device's own, whatever the PTX was compiled for.
  return {attributes.ptxVersion * 10, attributes.sharedSizeBytes};
}

}  // namespace kindred::cuda
