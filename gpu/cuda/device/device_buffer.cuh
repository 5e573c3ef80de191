#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gpu/cuda/device/device.cuh"

namespace kindred::cuda {

/// Owns `size` uninitialized elements of device memory. Movable; what it was moved from is not used
/// but to be assigned to. The device outlives it.
template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// @throws Error kOutOfMemory
  DeviceBuffer(const DevicePointer& device, std::size_t size) : size_(size) {
    if (size > 0) data_ = {static_cast<T*>(device->allocate(bytes())), Release{device, bytes()}};
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

  /// Makes room for `size` elements. If there was not enough, all values are lost.
  void reserve(const DevicePointer& device, std::size_t size) {
    if (size > size_) *this = DeviceBuffer(device, size);
  }

 private:
  struct Release {
    DevicePointer device;
    std::size_t bytes = 0;
    void operator()(T* data) const noexcept { device->release(data, bytes); }
  };
  std::unique_ptr<T, Release> data_;
  std::size_t size_ = 0;
};

/// Owns page-locked host memory that the device can read and write. It is created and destroyed
/// while the device is current.
template <typename T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  /// @throws Error kOutOfMemory
  explicit PinnedBuffer(std::size_t size) : size_(size) {
    void* memory = nullptr;
    cuda_check(cudaHostAlloc(&memory, size * sizeof(T), cudaHostAllocPortable),
               "page-locked memory");
    data_.reset(static_cast<T*>(memory));
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  void reserve(std::size_t size) {
    if (size > size_) *this = PinnedBuffer(size);
  }

 private:
  struct FreePinned {
    void operator()(T* data) const noexcept { ignore_status(cudaFreeHost(data)); }
  };
  std::unique_ptr<T, FreePinned> data_;
  std::size_t size_ = 0;
};

/// Copies `n` values on the stream. Each side is memory of the host or of a device. `what` says
/// what is being done. @throws Error kDevice.
template <typename T>
void copy_values(T* to, const T* from, std::size_t n, cudaStream_t stream, const char* what) {
  if (n > 0) cuda_check(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDefault, stream), what);
}

/// Copies small host data to a new buffer, and waits for the copy.
template <typename T>
DeviceBuffer<T> upload(const DevicePointer& device, std::span<const T> host) {
  DeviceBuffer<T> buffer(device, host.size());
  copy_values(buffer.data(), host.data(), host.size(), device->stream(), "copy to the device");
  device->stream().wait("copy to the device");
  return buffer;
}

/// Reads `n` values from the device after all work on the device's stream.
template <typename T>
std::vector<T> download(const Device& device, const T* values, std::size_t n,
                        const char* what = "copy from the device") {
  std::vector<T> host(n);
  copy_values(host.data(), values, n, device.stream(), what);
  device.stream().wait(what);
  return host;
}

/// Reads one value from the device.
template <typename T>
T fetch(const DevicePointer& device, const T* value) {
  return download(*device, value, 1).front();
}

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
