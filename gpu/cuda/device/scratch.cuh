#pragma once

#include <algorithm>

#include "gpu/cuda/device/device_buffer.cuh"

namespace kindred::cuda {

/// Calls a CUB algorithm twice on the device's stream: once to learn how much memory it needs, once
/// to run it. Does not wait for it. @throws Error kOutOfMemory, kDevice.
template <typename Algorithm>
void with_scratch(const DevicePointer& device, Algorithm&& algorithm) {
  std::size_t bytes = 0;
  cuda_check(algorithm(nullptr, bytes), "mirror");
  DeviceBuffer<unsigned char> scratch(device, std::max<std::size_t>(bytes, 1));
  cuda_check(algorithm(scratch.data(), bytes), "mirror");
}

}  // namespace kindred::cuda
