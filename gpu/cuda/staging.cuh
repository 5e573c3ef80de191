#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "gpu/cuda/device.cuh"

namespace kindred::cuda {

/// True if the device can copy from or to `host` directly.
bool is_page_locked(const void* host);

/// What is to be copied to the device.
struct HostCopy {
  void* to;
  const void* from;
  std::size_t bytes;
};

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

  /// The same for several at once, none of which waits for another.
  void copy_to_device(std::span<const HostCopy> copies);

 private:
  struct Lane;
  void copy_pieces(std::span<const HostCopy> pieces);

  DevicePointer device_;
  cudaStream_t stream_ = nullptr;  // of copies that need no buffers
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace kindred::cuda
