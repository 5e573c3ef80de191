// Floors on an H200, RCV1 shape:
//   SpMM:   every entry of the documents reads a row of the dense block: 1.76e6 x 4 B = 7.0 MB per
//           query, 0.9 us at the 7.7 TB/s of the L2, 0.7 s for the 781,265 queries; the
//           similarities are written, transposed (read and written) and selected: 4 x 93 KB per
//           query.
//   Select: 4 B per similarity, read twice: 185 KB per query, 24 ns, 19 ms in all.
// Shape of the selection: one block per query. Each thread keeps the best of its share, and the
// k-th best of those is a threshold: k similarities reach it, and only k threads have any that do.
// So those that pass in the second reading fit a buffer of k shares, and are about k; counting
// ranks them. Similarity and row make one key, so no two keys are equal, and the answer is unique.
#include "tests/bench/peers/cusparse_knn.cuh"

namespace kindred::bench {
namespace {

constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kBlock = kLargestK;
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

/// Writes weight * scale of every entry of `count` rows from `first` on to dense[term, row], of
/// which row `first` is row 0. A scale of 0 clears what a scale of 1 wrote. One warp per row.
__global__ void __launch_bounds__(kBlock)
    scatter_kernel(SparseView rows, std::uint32_t first, std::uint32_t count, float scale,
                   float* dense) {
  const std::size_t row = (std::size_t{blockIdx.x} * kBlock + threadIdx.x) / kWarp;
  if (row >= count) return;
  const std::uint32_t end = rows.row_begin[first + row + 1];
  for (auto i = rows.row_begin[first + row] + threadIdx.x % kWarp; i < end; i += kWarp)
    dense[std::size_t{rows.term[i]} * count + row] = rows.weight[i] * scale;
}

void scatter(SparseView rows, std::uint32_t first, std::uint32_t count, float scale, float* dense) {
  const std::uint32_t warps = kBlock / kWarp;
  scatter_kernel<<<(count + warps - 1) / warps, kBlock>>>(rows, first, count, scale, dense);
  cuda_check(cudaGetLastError(), "scatter");
}

using Key = unsigned long long;

/// Greater is better; 0 is not a neighbor.
__device__ Key key_of(float similarity, std::uint32_t row) {
  if (!(similarity > 0)) return 0;
  return Key{__float_as_uint(similarity)} << 32 | static_cast<std::uint32_t>(~row);
}

/// How many of keys[0, size) are greater.
__device__ std::uint32_t rank_of(Key key, const Key* keys, std::uint32_t size) {
  std::uint32_t rank = 0;
  for (std::uint32_t i = 0; i < size; ++i) rank += keys[i] > key;
  return rank;
}

__global__ void __launch_bounds__(kBlock)
    select_kernel(const float* similarities, std::uint32_t rows, std::uint32_t k, Hit* hits) {
  extern __shared__ Key candidates[];
  __shared__ Key best[kBlock];
  __shared__ Key threshold;
  __shared__ std::uint32_t found;
  const std::size_t q = blockIdx.x;
  const float* const of_query = similarities + q * rows;
  if (threadIdx.x == 0) {
    threshold = 1;
    found = 0;
  }
  Key own = 0;
#pragma unroll 4
  for (std::uint32_t i = threadIdx.x; i < rows; i += kBlock) own = max(own, key_of(of_query[i], i));
  best[threadIdx.x] = own;
  __syncthreads();
  if (own != 0 && rank_of(own, best, kBlock) == k - 1) threshold = own;
  __syncthreads();
#pragma unroll 4
  for (std::uint32_t i = threadIdx.x; i < rows; i += kBlock) {
    const Key key = key_of(of_query[i], i);
    if (key >= threshold) candidates[atomicAdd(&found, 1u)] = key;
  }
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < found; i += kBlock) {
    const Key key = candidates[i];
    const std::uint32_t rank = rank_of(key, candidates, found);
    if (rank < k)
      hits[q * k + rank] = {~static_cast<std::uint32_t>(key),
                            __uint_as_float(static_cast<std::uint32_t>(key >> 32))};
  }
  for (std::uint32_t i = found + threadIdx.x; i < k; i += kBlock) hits[q * k + i] = {kNoRow, 0};
}

}  // namespace

void cusparse_check(cusparseStatus_t status, const char* what) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(what) + ": " + cusparseGetErrorString(status));
}

DeviceRows::DeviceRows(const WeightedCsr& host)
    : rows_(host.rows()),
      columns_(host.columns),
      row_begin_(host.row_begin),
      term_(host.term),
      weight_(std::vector<float>(host.weight.begin(), host.weight.end())) {}

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
  workspace_ = DeviceArray<char>(bytes);
  cusparse_check(
      cusparseSpMM_preprocess(handle_.get(), kAsIs, kAsIs, &kOne, documents_.get(), queries_.get(),
                              &kZero, product_.get(), CUDA_R_32F, kAlgorithm, workspace_.data()),
      "cusparseSpMM_preprocess");
}

void DenseBlockProduct::similarities(SparseView queries, std::uint32_t first, float* similarities) {
  scatter(queries, first, width_, 1, query_values_.data());
  cusparse_check(cusparseSpMM(handle_.get(), kAsIs, kAsIs, &kOne, documents_.get(), queries_.get(),
                              &kZero, product_.get(), CUDA_R_32F, kAlgorithm, workspace_.data()),
                 "cusparseSpMM");
  scatter(queries, first, width_, 0, query_values_.data());
  transpose(product_values_.data(), documents_view_.rows, width_, similarities);
}

void select_top_k(const float* similarities, std::uint32_t rows, std::uint32_t queries,
                  std::uint32_t k, Hit* hits) {
  if (k == 0 || k > kLargestK) throw std::invalid_argument("select_top_k: k is 1 to 256");
  if (queries == 0) return;
  const std::uint32_t share = (rows + kBlock - 1) / kBlock;
  const auto bytes = static_cast<int>(k * share * sizeof(Key));
  cuda_check(
      cudaFuncSetAttribute(select_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
      "select_top_k: shared memory");
  select_kernel<<<queries, kBlock, bytes>>>(similarities, rows, k, hits);
  cuda_check(cudaGetLastError(), "select_top_k");
}

}  // namespace kindred::bench
