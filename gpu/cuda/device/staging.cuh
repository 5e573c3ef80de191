#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "gpu/cuda/device/device.cuh"

namespace kindred::cuda {

/// True if the device can copy from or to `host` directly.
bool is_page_locked(const void* host);

/// A copy from the host to the device.
struct HostCopy {
  void* to;
  const void* from;
  std::size_t bytes;
};

/// Copies large chunks of host memory to the device. Pageable memory goes through page-locked
/// buffers: several threads fill some while the device reads others. The buffers are kept, since
/// page-locking memory takes longer than filling it. All stagings of a device share them, so one
/// copy of pageable memory runs at a time and others wait.
class Staging {
 public:
  /// Called in a scope of the device. `threads`: how many a copy may use; 0 = one per core.
  Staging(DevicePointer device, std::size_t threads);

  std::size_t threads() const { return threads_; }  ///< at least 1

  /// Waits for the copy, even if it fails. @throws Error kOutOfMemory, kDevice.
  void copy_to_device(void* to, const void* from, std::size_t bytes);

  /// Makes several copies at once, none of which waits for another. Waits for all, even if one
  /// fails. @throws Error kOutOfMemory, kDevice.
  void copy_to_device(std::span<const HostCopy> copies);

 private:
  class Buffers;

  std::size_t threads_;
  std::shared_ptr<Buffers> buffers_;
};

}  // namespace kindred::cuda
