#pragma once

#include <memory>

#include "gpu/cuda/device/cuda_check.cuh"

namespace kindred::cuda {

/// A pool of device memory of Kindred's own. What is freed stays in the pool until its last user is
/// gone, since a refresh allocates what the last one freed. The device's default pool is left to
/// the program that Kindred is a guest of.
class MemoryPool {
 public:
  /// The pool of a device, shared by all who use it at the time. @throws Error kDevice.
  static std::shared_ptr<MemoryPool> of(int ordinal);

  explicit MemoryPool(int ordinal);
  ~MemoryPool() { ignore_status(cudaMemPoolDestroy(pool_)); }
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  operator cudaMemPool_t() const { return pool_; }

 private:
  cudaMemPool_t pool_ = nullptr;
};

}  // namespace kindred::cuda
