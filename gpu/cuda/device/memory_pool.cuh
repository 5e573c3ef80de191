#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "gpu/cuda/device/launch.cuh"

namespace kindred::cuda {

/// The T of a device, if somebody holds one; if not, what make() returns, a std::shared_ptr<T>.
template <typename T, typename Make>
std::shared_ptr<T> one_per_device(int ordinal, Make&& make) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<T>> all;
  const std::lock_guard lock(mutex);
  std::weak_ptr<T>& known = all[ordinal];
  std::shared_ptr<T> one = known.lock();
  if (one == nullptr) known = one = make();
  return one;
}

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
