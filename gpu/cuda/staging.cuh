#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/cuda/device.cuh"

namespace kindred::cuda {

/// True if the device can copy from or to `host` directly.
bool is_page_locked(const void* host);

/// Copies large pieces of host memory to the device. Pageable memory goes through page-locked
/// buffers, which several threads fill while others are on their way; the buffers are kept, since
/// page-locking memory takes longer than filling it. One copy runs at a time, others wait.
class Staging {
 public:
  /// The staging of a device, shared by all backends that use it at the time.
  static std::shared_ptr<Staging> of(const DevicePointer& device);

  explicit Staging(DevicePointer device);
  ~Staging();

  /// Waits for the copy. @throws Error kOutOfMemory, kDevice.
  void copy_to_device(void* to, const void* from, std::size_t bytes);

 private:
  struct Lane;
  void copy_in_pieces(char* to, const char* from, std::size_t bytes);

  DevicePointer device_;
  cudaStream_t stream_ = nullptr;  // of copies that need no buffers
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace kindred::cuda
