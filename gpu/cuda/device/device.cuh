#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>

#include "gpu/cuda/device/launch.cuh"

namespace kindred::cuda {

/// Owns a stream that neither waits for the legacy default stream nor makes it wait. It is created
/// and destroyed while its device is current.
class Stream {
 public:
  /// @throws Error kOutOfMemory, kDevice.
  Stream() { cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream"); }
  ~Stream() { ignore_status(cudaStreamDestroy(stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream_; }

  /// Waits for all work on the stream. @throws Error kDevice, saying what was being done.
  void wait(const char* what) const { cuda_check(cudaStreamSynchronize(stream_), what); }
  /// Waits in a destructor, where an error is not reported.
  void settle() const noexcept { ignore_status(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Owns an event that orders the work of streams. It is created and destroyed while its device is
/// current.
class Event {
 public:
  /// @throws Error kOutOfMemory, kDevice.
  Event() { cuda_check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "event"); }
  ~Event() { ignore_status(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  operator cudaEvent_t() const { return event_; }

  /// What `after` is given from now on waits for what `before` has been given. @throws Error
  /// kDevice.
  void order(const Stream& before, const Stream& after) const {
    cuda_check(cudaEventRecord(event_, before), "event");
    cuda_check(cudaStreamWaitEvent(after, event_), "event");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// The T of a device, if somebody holds one; if not, a new one, made of the argument.
template <typename T, typename Argument>
std::shared_ptr<T> one_per_device(int ordinal, const Argument& argument) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<T>> all;
  const std::lock_guard lock(mutex);
  std::weak_ptr<T>& known = all[ordinal];
  std::shared_ptr<T> one = known.lock();
  if (one == nullptr) {
    one = std::make_shared<T>(argument);
    known = one;
  }
  return one;
}

/// A pool of device memory of Kindred's own. What is freed stays in the pool until its last user is
/// gone, since a refresh allocates what the last one freed. The device's default pool is left to
/// the program that Kindred is a guest of.
class MemoryPool {
 public:
  /// @throws Error kDevice.
  explicit MemoryPool(int ordinal);
  ~MemoryPool() { ignore_status(cudaMemPoolDestroy(pool_)); }
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  operator cudaMemPool_t() const { return pool_; }

 private:
  cudaMemPool_t pool_ = nullptr;
};

/// One GPU and the memory that Kindred holds there. Any number of threads may use it.
class Device {
 public:
  /// `budget`: at most this many bytes; 0 = what is free.
  /// @throws Error kUnsupported if there is no such device, its driver is too old, or this build
  /// has no code for it; kDevice.
  Device(int ordinal, std::size_t budget);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  /// Called in a DeviceScope. @throws Error kOutOfMemory that says how many bytes are missing; then
  /// nothing has changed.
  void* allocate(std::size_t bytes);
  void release(void* pointer, std::size_t bytes) noexcept;

  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  int ordinal() const { return ordinal_; }
  const std::string& name() const { return name_; }
  std::string compute_capability() const;
  int multiprocessors() const { return multiprocessors_; }
  std::size_t shared_per_block() const { return shared_per_block_; }
  std::size_t shared_per_multiprocessor() const { return shared_per_multiprocessor_; }

  /// A stream for work outside queries: builds, allocations. Legacy default streams are not used.
  const Stream& stream() const { return *stream_; }

  /// Makes the device's primary context, in which the CUDA runtime works, current in the calling
  /// thread. leave() restores what was current before: the primary context of this or another
  /// device, a context that the program made, or none. cudaSetDevice() could not do that: it
  /// replaces a context that the program made, and sets up a device where none was current.
  cudaError_t enter() const noexcept;
  static void leave() noexcept;

  /// Lets kernels of another device use this one's memory. Called in a DeviceScope. False if they
  /// cannot: there is no link between the two. @throws Error kDevice.
  bool lets_read(const Device& other) const;

 private:
  int ordinal_;
  CUcontext context_;  // retained
  std::size_t budget_;
  std::string name_;
  int major_ = 0;
  int minor_ = 0;
  int multiprocessors_ = 0;
  std::size_t shared_per_block_ = 0;
  std::size_t shared_per_multiprocessor_ = 0;
  std::shared_ptr<MemoryPool> pool_;  // shared by all that use the device at the time
  std::optional<Stream> stream_;
  std::atomic<std::size_t> used_{0};
};

using DevicePointer = std::shared_ptr<Device>;

/// Makes a device current in the calling thread for the length of a scope. Then the thread is as it
/// was before, since its program may use another device. CUDA is called only in such a scope. Every
/// public call opens one, and so do destructors.
class DeviceScope {
 public:
  /// @throws Error kDevice
  explicit DeviceScope(const Device& device) { cuda_check(device.enter(), "choosing the device"); }
  /// For destructors. If the device was lost, nothing becomes current.
  DeviceScope(const Device& device, std::nothrow_t) noexcept
      : entered_(device.enter() == cudaSuccess) {}
  ~DeviceScope() {
    if (entered_) Device::leave();
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  bool entered() const { return entered_; }

 private:
  const bool entered_ = true;
};

}  // namespace kindred::cuda
