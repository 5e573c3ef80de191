#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Device memory for the benchmarks of published methods, which share no code with gpu/.

namespace kindred::bench {

/// @throws std::runtime_error that says which call failed and why.
inline void cuda_check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

/// Owns Ts on the device, uninitialized unless said otherwise. Moves, never copies.
template <typename T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size) : size_(size) {
    if (size != 0) cuda_check(cudaMalloc(&data_, size * sizeof(T)), "cudaMalloc");
  }
  /// A copy of `host`; blocks.
  explicit DeviceArray(const std::vector<T>& host) : DeviceArray(host.size()) {
    if (size_ != 0) {
      cuda_check(cudaMemcpy(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
                 "copy to the device");
    }
  }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceArray() { cudaFree(data_); }  // cannot throw

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  void zero() { cuda_check(cudaMemset(data_, 0, size_ * sizeof(T)), "cudaMemset"); }

  /// Room for `size` Ts or more; what was in it is lost if it had less.
  void reserve(std::size_t size) {
    if (size <= size_) return;
    *this = DeviceArray();  // frees first: the two need not fit side by side
    *this = DeviceArray(size);
  }

  /// The first `size` Ts; blocks until the device has done what was asked of it before.
  std::vector<T> to_host(std::size_t size) const {
    std::vector<T> host(size);
    cuda_check(cudaMemcpy(host.data(), data_, size * sizeof(T), cudaMemcpyDeviceToHost),
               "copy from the device");
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kindred::bench
