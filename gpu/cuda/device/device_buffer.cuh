#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gpu/cuda/device/device.cuh"

namespace kindred::cuda {

/// Owns `size` uninitialized elements of device memory. Movable; the device outlives it.
template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// @throws Error kOutOfMemory
  DeviceBuffer(DevicePointer device, std::size_t size) : device_(std::move(device)), size_(size) {
    if (size > 0) data_ = static_cast<T*>(device_->allocate(size * sizeof(T)));
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    DeviceBuffer(std::move(other)).swap(*this);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_ != nullptr) device_->release(data_, size_ * sizeof(T));
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

  /// Makes room for `size` elements. If there was not enough, all values are lost.
  void reserve(const DevicePointer& device, std::size_t size) {
    if (size > size_) *this = DeviceBuffer(device, size);
  }

 private:
  void swap(DeviceBuffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  DevicePointer device_;
  T* data_ = nullptr;
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

/// Copies small host data to a new buffer, and waits for the copy.
template <typename T>
DeviceBuffer<T> upload(const DevicePointer& device, std::span<const T> host) {
  DeviceBuffer<T> buffer(device, host.size());
  if (host.empty()) return buffer;
  cuda_check(cudaMemcpyAsync(buffer.data(), host.data(), host.size_bytes(), cudaMemcpyHostToDevice,
                             device->stream()),
             "copy to the device");
  cuda_check(cudaStreamSynchronize(device->stream()), "copy to the device");
  return buffer;
}

/// Reads one value from the device after all work on the device's stream.
template <typename T>
T fetch(const DevicePointer& device, const T* value) {
  T host{};
  cuda_check(cudaMemcpyAsync(&host, value, sizeof(T), cudaMemcpyDeviceToHost, device->stream()),
             "copy from the device");
  cuda_check(cudaStreamSynchronize(device->stream()), "copy from the device");
  return host;
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
