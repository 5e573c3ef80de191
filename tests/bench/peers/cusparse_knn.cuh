#pragma once

#include <cusparse.h>

#include <cstdint>
#include <memory>

#include "tests/bench/peers/published_knn.cuh"
#include "tests/bench/peers/select_top_k.cuh"
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
class DenseBlockProduct {
 public:
  /// Rows of a dense matrix in memory: kRow is what cuSPARSE recommends, but its result must be
  /// transposed before selection; kColumn needs no transposition.
  enum class Order { kRow, kColumn };

  /// `documents` must outlive this.
  DenseBlockProduct(const DeviceRows& documents, std::uint32_t width, Order order);

  /// Of queries [first, first + width), row-major [width, documents]. Asynchronous.
  void similarities(SparseView queries, std::uint32_t first, float* similarities);

 private:
  DensePlace place() const;

  SparseView documents_view_;
  std::uint32_t width_;
  Order order_;
  CusparseHandle handle_;
  SparseMatrix documents_;
  DenseMatrix queries_, product_;
  DeviceArray<float> query_values_, product_values_;
  DeviceArray<char> workspace_;
};

/// SpGEMM: sparse queries x sparse documents, transposed once beforehand, so that a row of the
/// sparse result is a query. (The other way round its columns would be.)
class SparseBlockProduct {
 public:
  /// Rows of `documents_by_term` are terms, its columns documents. It must outlive this.
  SparseBlockProduct(const DeviceRows& documents_by_term, std::uint32_t width);

  /// Of queries [first, first + width), valid until the next call. Blocks.
  Similarities similarities(const DeviceRows& queries, std::uint32_t first);

 private:
  void multiply(cusparseConstSpMatDescr_t queries, cusparseSpMatDescr_t product);

  SparseView documents_view_;
  std::uint32_t width_;
  CusparseHandle handle_;
  SparseMatrix documents_;
  DeviceArray<std::uint32_t> query_begin_, product_begin_, product_row_;
  DeviceArray<float> product_value_;
  DeviceArray<char> estimation_, computation_;
};

}  // namespace kindred::bench
