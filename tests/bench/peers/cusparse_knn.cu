// Floors on an H200, RCV1 shape:
//   SpMM:   every entry of the documents reads a row of the dense block: 1.76e6 x 4 B = 7.0 MB per
//           query, 0.9 us at the 7.7 TB/s of the L2, 0.7 s for the 781,265 queries; the
//           similarities are written, transposed (read and written) and selected: 4 x 93 KB per
//           query.
#include "tests/bench/peers/cusparse_knn.cuh"

#include <stdexcept>
#include <string>

namespace kindred::bench {
namespace {

constexpr std::uint32_t kSquare = 32, kSquareRows = 8;  // tile and threads of the transposition
constexpr float kOne = 1, kZero = 0;
constexpr auto kAsIs = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto kAlgorithm = CUSPARSE_SPMM_CSR_ALG2;

CusparseHandle make_handle() {
  cusparseHandle_t handle = nullptr;
  cusparse_check(cusparseCreate(&handle), "cusparseCreate");
  return CusparseHandle(handle);
}

SparseMatrix make_sparse(const DeviceRows& rows) {
  const SparseView view = rows.view();
  cusparseConstSpMatDescr_t matrix = nullptr;
  cusparse_check(cusparseCreateConstCsr(&matrix, view.rows, view.columns, rows.entries(),
                                        view.row_begin, view.term, view.weight, CUSPARSE_INDEX_32I,
                                        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
                 "cusparseCreateConstCsr");
  return SparseMatrix(matrix);
}

DenseMatrix make_dense(std::uint32_t rows, std::uint32_t columns, float* values) {
  cusparseDnMatDescr_t matrix = nullptr;
  cusparse_check(
      cusparseCreateDnMat(&matrix, rows, columns, columns, values, CUDA_R_32F, CUSPARSE_ORDER_ROW),
      "cusparseCreateDnMat");
  return DenseMatrix(matrix);
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

}  // namespace

void cusparse_check(cusparseStatus_t status, const char* what) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(what) + ": " + cusparseGetErrorString(status));
}

DenseBlockProduct::DenseBlockProduct(const DeviceRows& documents, std::uint32_t width)
    : documents_view_(documents.view()),
      width_(width),
      handle_(make_handle()),
      documents_(make_sparse(documents)),
      query_values_(std::size_t{documents_view_.columns} * width),
      product_values_(std::size_t{documents_view_.rows} * width) {
  query_values_.zero();
  queries_ = make_dense(documents_view_.columns, width, query_values_.data());
  product_ = make_dense(documents_view_.rows, width, product_values_.data());
  std::size_t bytes = 0;
  cusparse_check(
      cusparseSpMM_bufferSize(handle_.get(), kAsIs, kAsIs, &kOne, documents_.get(), queries_.get(),
                              &kZero, product_.get(), CUDA_R_32F, kAlgorithm, &bytes),
      "cusparseSpMM_bufferSize");
  workspace_.reserve(bytes);
  cusparse_check(
      cusparseSpMM_preprocess(handle_.get(), kAsIs, kAsIs, &kOne, documents_.get(), queries_.get(),
                              &kZero, product_.get(), CUDA_R_32F, kAlgorithm, workspace_.data()),
      "cusparseSpMM_preprocess");
}

void DenseBlockProduct::similarities(SparseView queries, std::uint32_t first, float* similarities) {
  scatter_rows(queries, first, width_, {1, width_}, 1, query_values_.data());
  cusparse_check(cusparseSpMM(handle_.get(), kAsIs, kAsIs, &kOne, documents_.get(), queries_.get(),
                              &kZero, product_.get(), CUDA_R_32F, kAlgorithm, workspace_.data()),
                 "cusparseSpMM");
  scatter_rows(queries, first, width_, {1, width_}, 0, query_values_.data());
  transpose(product_values_.data(), documents_view_.rows, width_, similarities);
}

}  // namespace kindred::bench
