// Floors on an H200, RCV1 shape:
//   SpMM:   every entry of the documents reads a row of the dense block: 1.76e6 x 4 B = 7.0 MB per
//           query, 0.9 us at the 7.7 TB/s of the L2, 0.7 s for the 781,265 queries; the
//           similarities are written, transposed (read and written) and selected: 4 x 93 KB per
//           query.
//   SpGEMM: 84,000 products per query, as many as with an inverted index, but each must find its
//           place in the result: the limit is hashing or sorting, not bytes.
#include "tests/bench/peers/cusparse_knn.cuh"

#include <stdexcept>
#include <string>

namespace kindred::bench {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kSquare = 32, kSquareRows = 8;  // tile and threads of the transposition
constexpr float kOne = 1, kZero = 0;
constexpr auto kAsIs = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto kSpGEMM = CUSPARSE_SPGEMM_DEFAULT;

CusparseHandle make_handle() {
  cusparseHandle_t handle = nullptr;
  cusparse_check(cusparseCreate(&handle), "cusparseCreate");
  return CusparseHandle(handle);
}

SparseMatrix make_sparse(std::uint32_t rows, std::uint32_t columns, std::uint32_t entries,
                         const std::uint32_t* row_begin, const std::uint32_t* column,
                         const float* value) {
  cusparseConstSpMatDescr_t matrix = nullptr;
  cusparse_check(cusparseCreateConstCsr(&matrix, rows, columns, entries, row_begin, column, value,
                                        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                        CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
                 "cusparseCreateConstCsr");
  return SparseMatrix(matrix);
}

SparseMatrix make_sparse(const DeviceRows& rows) {
  const SparseView view = rows.view();
  return make_sparse(view.rows, view.columns, rows.entries(0, view.rows), view.row_begin, view.term,
                     view.weight);
}

DenseMatrix make_dense(std::uint32_t rows, std::uint32_t columns, DenseBlockProduct::Order order,
                       float* values) {
  const bool row_major = order == DenseBlockProduct::Order::kRow;
  cusparseDnMatDescr_t matrix = nullptr;
  cusparse_check(
      cusparseCreateDnMat(&matrix, rows, columns, row_major ? columns : rows, values, CUDA_R_32F,
                          row_major ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
      "cusparseCreateDnMat");
  return DenseMatrix(matrix);
}

cusparseSpMMAlg_t algorithm_for(DenseBlockProduct::Order order) {
  return order == DenseBlockProduct::Order::kRow ? CUSPARSE_SPMM_CSR_ALG2 : CUSPARSE_SPMM_CSR_ALG1;
}

/// to [columns, rows] = from [rows, columns], both row-major. Block: kSquare x kSquareRows threads.
__global__ void transpose_kernel(const float* from, std::uint32_t rows, std::uint32_t columns,
                                 float* to) {
  __shared__ float tile[kSquare][kSquare + 1];  // + 1: columns fall into different banks
  const std::uint32_t row0 = blockIdx.x * kSquare, column0 = blockIdx.y * kSquare;
  for (std::uint32_t y = threadIdx.y; y < kSquare; y += kSquareRows) {
    const std::uint32_t row = row0 + y, column = column0 + threadIdx.x;
    if (row < rows && column < columns)
      tile[y][threadIdx.x] = from[std::size_t{row} * columns + column];
  }
  __syncthreads();
  for (std::uint32_t y = threadIdx.y; y < kSquare; y += kSquareRows) {
    const std::uint32_t row = row0 + threadIdx.x, column = column0 + y;
    if (row < rows && column < columns) to[std::size_t{column} * rows + row] = tile[threadIdx.x][y];
  }
}

void transpose(const float* from, std::uint32_t rows, std::uint32_t columns, float* to) {
  const dim3 grid((rows + kSquare - 1) / kSquare, (columns + kSquare - 1) / kSquare);
  transpose_kernel<<<grid, dim3(kSquare, kSquareRows)>>>(from, rows, columns, to);
  cuda_check(cudaGetLastError(), "transpose");
}

/// to[i] = from[i] - from[0]: offsets of a batch of rows, as cuSPARSE wants them.
__global__ void rebase_kernel(const std::uint32_t* from, std::uint32_t size, std::uint32_t* to) {
  const std::uint32_t i = blockIdx.x * kBlock + threadIdx.x;
  if (i < size) to[i] = from[i] - from[0];
}

void rebase(const std::uint32_t* from, std::uint32_t size, std::uint32_t* to) {
  rebase_kernel<<<(size + kBlock - 1) / kBlock, kBlock>>>(from, size, to);
  cuda_check(cudaGetLastError(), "rebase");
}

}  // namespace

void cusparse_check(cusparseStatus_t status, const char* what) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(what) + ": " + cusparseGetErrorString(status));
}

DenseBlockProduct::DenseBlockProduct(const DeviceRows& documents, std::uint32_t width, Order order)
    : documents_view_(documents.view()),
      width_(width),
      order_(order),
      handle_(make_handle()),
      documents_(make_sparse(documents)),
      query_values_(std::size_t{documents_view_.columns} * width),
      product_values_(std::size_t{documents_view_.rows} * width) {
  query_values_.zero();
  queries_ = make_dense(documents_view_.columns, width, order, query_values_.data());
  product_ = make_dense(documents_view_.rows, width, order, product_values_.data());
  std::size_t bytes = 0;
  cusparse_check(
      cusparseSpMM_bufferSize(handle_.get(), kAsIs, kAsIs, &kOne, documents_.get(), queries_.get(),
                              &kZero, product_.get(), CUDA_R_32F, algorithm_for(order), &bytes),
      "cusparseSpMM_bufferSize");
  workspace_.reserve(bytes);
  cusparse_check(cusparseSpMM_preprocess(handle_.get(), kAsIs, kAsIs, &kOne, documents_.get(),
                                         queries_.get(), &kZero, product_.get(), CUDA_R_32F,
                                         algorithm_for(order), workspace_.data()),
                 "cusparseSpMM_preprocess");
}

DensePlace DenseBlockProduct::place() const {
  if (order_ == Order::kRow) return {1, width_};
  return {documents_view_.columns, 1};
}

void DenseBlockProduct::similarities(SparseView queries, std::uint32_t first, float* similarities) {
  scatter_rows(queries, first, width_, place(), 1, query_values_.data());
  float* result = order_ == Order::kRow ? product_values_.data() : similarities;
  cusparse_check(cusparseDnMatSetValues(product_.get(), result), "cusparseDnMatSetValues");
  cusparse_check(
      cusparseSpMM(handle_.get(), kAsIs, kAsIs, &kOne, documents_.get(), queries_.get(), &kZero,
                   product_.get(), CUDA_R_32F, algorithm_for(order_), workspace_.data()),
      "cusparseSpMM");
  scatter_rows(queries, first, width_, place(), 0, query_values_.data());
  if (order_ == Order::kRow) transpose(result, documents_view_.rows, width_, similarities);
}

SparseBlockProduct::SparseBlockProduct(const DeviceRows& documents_by_term, std::uint32_t width)
    : documents_view_(documents_by_term.view()),
      width_(width),
      handle_(make_handle()),
      documents_(make_sparse(documents_by_term)),
      query_begin_(std::size_t{width} + 1),
      product_begin_(std::size_t{width} + 1) {}

Similarities SparseBlockProduct::similarities(const DeviceRows& queries, std::uint32_t first) {
  const SparseView view = queries.view();
  rebase(view.row_begin + first, width_ + 1, query_begin_.data());
  const std::uint32_t skipped = queries.entries(0, first);
  const SparseMatrix batch =
      make_sparse(width_, view.columns, queries.entries(first, first + width_), query_begin_.data(),
                  view.term + skipped, view.weight + skipped);
  cusparseSpMatDescr_t product = nullptr;
  cusparse_check(cusparseCreateCsr(&product, width_, documents_view_.columns, 0,
                                   product_begin_.data(), nullptr, nullptr, CUSPARSE_INDEX_32I,
                                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
                 "cusparseCreateCsr");
  const SparseMatrix owner(product);
  multiply(batch.get(), product);
  return {documents_view_.columns, product_value_.data(), product_begin_.data(),
          product_row_.data()};
}

void SparseBlockProduct::multiply(cusparseConstSpMatDescr_t queries, cusparseSpMatDescr_t product) {
  cusparseSpGEMMDescr_t made = nullptr;
  cusparse_check(cusparseSpGEMM_createDescr(&made), "cusparseSpGEMM_createDescr");
  const std::unique_ptr<cusparseSpGEMMDescr, CusparseDestroyer<cusparseSpGEMM_destroyDescr>> plan(
      made);
  // Called twice each: once for the size of a workspace, once for the work.
  const auto estimate = [&](std::size_t* bytes, void* workspace) {
    cusparse_check(cusparseSpGEMM_workEstimation(handle_.get(), kAsIs, kAsIs, &kOne, queries,
                                                 documents_.get(), &kZero, product, CUDA_R_32F,
                                                 kSpGEMM, plan.get(), bytes, workspace),
                   "cusparseSpGEMM_workEstimation");
  };
  const auto compute = [&](std::size_t* bytes, void* workspace) {
    cusparse_check(
        cusparseSpGEMM_compute(handle_.get(), kAsIs, kAsIs, &kOne, queries, documents_.get(),
                               &kZero, product, CUDA_R_32F, kSpGEMM, plan.get(), bytes, workspace),
        "cusparseSpGEMM_compute");
  };
  const auto with_workspace = [](const auto& call, DeviceArray<char>& workspace) {
    std::size_t bytes = 0;
    call(&bytes, nullptr);
    if (bytes >= workspace.size())
      workspace.reserve(bytes + bytes / 4 + 1);  // the next may want more; null would ask again
    call(&bytes, workspace.data());
  };
  with_workspace(estimate, estimation_);
  with_workspace(compute, computation_);
  std::int64_t rows = 0, columns = 0, entries = 0;
  cusparse_check(cusparseSpMatGetSize(product, &rows, &columns, &entries), "cusparseSpMatGetSize");
  const auto room = static_cast<std::size_t>(entries);
  if (room > product_row_.size()) {
    product_row_.reserve(room + room / 16);
    product_value_.reserve(room + room / 16);
  }
  cusparse_check(cusparseCsrSetPointers(product, product_begin_.data(), product_row_.data(),
                                        product_value_.data()),
                 "cusparseCsrSetPointers");
  cusparse_check(cusparseSpGEMM_copy(handle_.get(), kAsIs, kAsIs, &kOne, queries, documents_.get(),
                                     &kZero, product, CUDA_R_32F, kSpGEMM, plan.get()),
                 "cusparseSpGEMM_copy");
}

}  // namespace kindred::bench
