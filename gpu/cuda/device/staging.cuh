#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "gpu/cuda/device/device.cuh"

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
/// page-locking memory takes longer than filling it. All stagings of a device that are there at
/// the time share them: one copy of pageable memory runs at a time, others wait.
class Staging {
 public:
  /// In a scope of the device. `threads`: that a copy may take; 0 = one a core.
  Staging(DevicePointer device, std::size_t threads);

  std::size_t threads() const { return threads_; }  ///< at least 1

  /// Waits for the copy, also for one that failed. @throws Error kOutOfMemory, kDevice.
  void copy_to_device(void* to, const void* from, std::size_t bytes);

  /// The same for several at once, none of which waits for another.
  void copy_to_device(std::span<const HostCopy> copies);

 private:
  class Buffers;

  std::size_t threads_;
  std::shared_ptr<Buffers> buffers_;
};

}  // namespace kindred::cuda
