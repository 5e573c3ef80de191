#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gpu/cuda/cuda_check.cuh"

namespace kindred::cuda {

/// One GPU and the memory that Kindred holds there. Any number of threads may use it.
class Device {
 public:
  /// `budget`: at most so many bytes; 0 = what is free.
  /// @throws Error kUnsupported if there is no such device, its driver is too old, or this build
  /// has no code for it; kDevice.
  Device(int ordinal, std::size_t budget);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  /// Makes this the calling thread's device; every public call into the backend begins with it.
  void make_current() const;

  /// @throws Error kOutOfMemory that says how many bytes are missing; nothing has changed then.
  void* allocate(std::size_t bytes);
  void release(void* pointer, std::size_t bytes) noexcept;

  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  int ordinal() const { return ordinal_; }
  const std::string& name() const { return name_; }
  std::string compute_capability() const;
  int multiprocessors() const { return multiprocessors_; }
  bool has_clusters() const { return major_ >= 9; }  ///< of blocks that share their memory
  std::size_t shared_per_block() const { return shared_per_block_; }
  std::size_t shared_per_multiprocessor() const { return shared_per_multiprocessor_; }

  /// A stream for work outside queries: builds, allocations. Legacy default streams are not used.
  cudaStream_t stream() const { return stream_; }

 private:
  int ordinal_;
  std::size_t budget_;
  std::string name_;
  int major_ = 0, minor_ = 0, multiprocessors_ = 0;
  std::size_t shared_per_block_ = 0, shared_per_multiprocessor_ = 0;
  cudaStream_t stream_ = nullptr;
  std::atomic<std::size_t> used_{0};
};

using DevicePointer = std::shared_ptr<Device>;

}  // namespace kindred::cuda
