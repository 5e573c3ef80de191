#pragma once

#include <cusparse.h>

#include <cstdint>
#include <memory>

#include "tests/bench/peers/published_knn.cuh"
#include "tests/bench/peers/sparse_rows.cuh"

// Today's ready-made alternative: similarities of a batch of queries to all documents as a product
// of matrices by cuSPARSE. select_top_k() makes neighbors of them. Default stream.

namespace kindred::bench {

/// @throws std::runtime_error that says which call failed and why.
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

}  // namespace kindred::bench
