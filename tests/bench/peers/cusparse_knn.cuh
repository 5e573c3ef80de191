#pragma once

#include <cuda_runtime.h>
#include <cusparse.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Today's ready-made way to exact cosine neighbors on a GPU: a product of matrices by cuSPARSE, and
// a selection. Shares no code with gpu/. All calls are on the default stream.

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

/// Row r has the entries [row_begin[r], row_begin[r + 1]), terms ascending, weights not 0.
struct WeightedCsr {
  std::uint32_t columns = 0;
  std::vector<std::uint32_t> row_begin{0};
  std::vector<std::uint32_t> term;
  std::vector<double> weight;

  std::uint32_t rows() const { return static_cast<std::uint32_t>(row_begin.size() - 1); }
};

/// The same on the device, borrowed: what kernels take.
struct SparseView {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  const std::uint32_t* row_begin = nullptr;
  const std::uint32_t* term = nullptr;
  const float* weight = nullptr;
};

/// Owns what a SparseView borrows.
class DeviceRows {
 public:
  explicit DeviceRows(const WeightedCsr& host);
  SparseView view() const {
    return {rows_, columns_, row_begin_.data(), term_.data(), weight_.data()};
  }
  std::uint32_t rows() const { return rows_; }
  std::uint32_t entries() const { return static_cast<std::uint32_t>(term_.size()); }

 private:
  std::uint32_t rows_, columns_;
  DeviceArray<std::uint32_t> row_begin_, term_;
  DeviceArray<float> weight_;
};

/// As cuda_check().
void cusparse_check(cusparseStatus_t status, const char* what);

template <auto destroy>
struct CusparseDestroyer {
  template <typename T>
  void operator()(T* object) const {
    destroy(object);  // its status has nowhere to go
  }
};
using CusparseHandle = std::unique_ptr<cusparseContext, CusparseDestroyer<cusparseDestroy>>;
using SparseMatrix =
    std::unique_ptr<const cusparseSpMatDescr, CusparseDestroyer<cusparseDestroySpMat>>;
using DenseMatrix = std::unique_ptr<cusparseDnMatDescr, CusparseDestroyer<cusparseDestroyDnMat>>;

/// SpMM: sparse documents x a dense block of queries, made dense on the device inside the call.
/// Both dense matrices are row-major, as cuSPARSE recommends, so the product is transposed at the
/// end.
class DenseBlockProduct {
 public:
  /// `documents` must outlive this.
  DenseBlockProduct(const DeviceRows& documents, std::uint32_t width);

  /// Of queries [first, first + width), row-major [width, documents]. Asynchronous.
  void similarities(SparseView queries, std::uint32_t first, float* similarities);

 private:
  SparseView documents_view_;
  std::uint32_t width_;
  CusparseHandle handle_;
  SparseMatrix documents_;
  DenseMatrix queries_, product_;
  DeviceArray<float> query_values_, product_values_;
  DeviceArray<char> workspace_;
};

struct Hit {
  std::uint32_t row;
  float similarity;
};
inline constexpr std::uint32_t kNoRow = UINT32_MAX;
inline constexpr std::uint32_t kLargestK = 256;

/// The k documents most similar to each of `queries` queries, to hits [queries, k] on the device:
/// similarity descending, then row ascending. `similarities` are those to all of `rows` documents,
/// [queries, rows] on the device. Documents of similarity 0 or less are left out: a short list ends
/// in {kNoRow, 0}. k is at most kLargestK. Asynchronous, on the default stream.
void select_top_k(const float* similarities, std::uint32_t rows, std::uint32_t queries,
                  std::uint32_t k, Hit* hits);

}  // namespace kindred::bench
