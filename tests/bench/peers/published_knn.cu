// Floors on an H200 (132 SMs of 128 lanes at 1.8 GHz: 3.0e13 instructions of a lane/s), reference
// job of 781,265 queries x 23,149 documents of 76 terms:
//   merge:  1.8e10 pairs of about 145 steps (76 + 76, less the shared terms and what is left when
//           one side ends), 7 instructions each: 1.8e13 instructions = 0.6 s. algorithm 2 also
//           reads 4 B of every entry from L2: 7.0 MB per query at 7.7 TB/s = 0.9 us, 0.7 s in all;
//           algorithm 3 a 32nd of that.
//   dense:  23,149 x 47,152 x 4 B = 4.4 GB per query from memory at 4.3 TB/s = 1.0 ms.
// Shape: documents in transposed slices of a warp. In algorithm 2 lanes that are equally far in
// their rows read one line; in algorithm 3 lane i always reads bank i, however far it is. Weights
// are read only where terms agree, 3.6 times per pair. In the dense product a block takes four
// rows, so that the query is read once for all four.
#include "tests/bench/peers/published_knn.cuh"

#include <algorithm>

namespace kindred::bench {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kTile = 32;      // queries of a block of algorithm 3
constexpr std::uint32_t kDenseRows = 4;  // rows of a block of the dense product

std::uint32_t blocks_for(std::size_t threads, std::size_t block) {
  return static_cast<std::uint32_t>((threads + block - 1) / block);
}

template <typename Kernel>
void allow_shared(Kernel* kernel, std::size_t bytes) {
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             "shared memory of a merge kernel");
}

/// Dot product of a document, a column of a slice, and a query, both ending in kEndOfRow.
__device__ float merge(const std::uint32_t* document_term, const float* document_weight,
                       const std::uint32_t* query_term, const float* query_weight) {
  float sum = 0;
  std::uint32_t i = 0, j = 0;
  std::uint32_t d = document_term[0], q = query_term[0];
  while (d != kEndOfRow && q != kEndOfRow) {
    if (d == q) sum += document_weight[i] * query_weight[j];
    const bool next_d = d <= q, next_q = q <= d;
    if (next_d) d = document_term[i += kSlice];
    if (next_q) q = query_term[++j];
  }
  return sum;
}

/// Copies one row and its end, by `threads` threads of which this is number `thread`.
__device__ void copy_row(SparseView rows, std::uint32_t row, std::uint32_t thread,
                         std::uint32_t threads, std::uint32_t* term, float* weight) {
  const std::uint32_t begin = rows.row_begin[row], size = rows.row_begin[row + 1] - begin;
  for (std::uint32_t i = thread; i <= size; i += threads) {
    term[i] = i < size ? rows.term[begin + i] : kEndOfRow;
    weight[i] = i < size ? rows.weight[begin + i] : 0;
  }
}

/// Grid: documents / kBlock x count.
__global__ void __launch_bounds__(kBlock)
    merge_rows_kernel(SlicesView documents, SparseView queries, std::uint32_t first,
                      float* similarities) {
  extern __shared__ std::uint32_t query_term[];  // longest + 1 terms, as many weights
  auto* query_weight = reinterpret_cast<float*>(query_term + queries.longest + 1);
  copy_row(queries, first + blockIdx.y, threadIdx.x, kBlock, query_term, query_weight);
  __syncthreads();
  const std::uint32_t row = blockIdx.x * kBlock + threadIdx.x;
  if (row >= documents.rows) return;
  const std::uint32_t at = documents.begin[row / kSlice] + row % kSlice;
  similarities[std::size_t{blockIdx.y} * documents.rows + row] =
      merge(documents.term + at, documents.weight + at, query_term, query_weight);
}

/// Block: kSlice documents x kTile queries. Grid: slices x count / kTile.
__global__ void __launch_bounds__(kSlice* kTile, 2)
    merge_tiles_kernel(SlicesView documents, SparseView queries, std::uint32_t first,
                       std::uint32_t count, float* similarities) {
  extern __shared__ std::uint32_t shared[];
  const std::uint32_t document_room = documents.longest * kSlice, query_room = queries.longest + 1;
  std::uint32_t* document_term = shared;
  auto* document_weight = reinterpret_cast<float*>(document_term + document_room);
  auto* query_term =
      reinterpret_cast<std::uint32_t*>(document_weight + document_room) + threadIdx.y * query_room;
  auto* query_weight = reinterpret_cast<float*>(query_term + kTile * query_room);

  const std::uint32_t begin = documents.begin[blockIdx.x];
  const std::uint32_t size = documents.begin[blockIdx.x + 1] - begin;
  const std::uint32_t thread = threadIdx.y * kSlice + threadIdx.x;
  for (std::uint32_t i = thread; i < size; i += kSlice * kTile) {
    document_term[i] = documents.term[begin + i];
    document_weight[i] = documents.weight[begin + i];
  }
  const std::uint32_t query = blockIdx.y * kTile + threadIdx.y;
  if (query < count)
    copy_row(queries, first + query, threadIdx.x, kSlice, query_term, query_weight);
  __syncthreads();
  const std::uint32_t row = blockIdx.x * kSlice + threadIdx.x;
  if (query >= count || row >= documents.rows) return;
  similarities[std::size_t{query} * documents.rows + row] =
      merge(document_term + threadIdx.x, document_weight + threadIdx.x, query_term, query_weight);
}

/// Block: kDenseRows rows. `columns` is a multiple of 4.
__global__ void __launch_bounds__(kBlock)
    dense_product_kernel(const float* documents, const float* query, std::uint32_t rows,
                         std::uint32_t columns, float* similarities) {
  __shared__ float partial[kDenseRows][kBlock];
  const std::uint32_t first = blockIdx.x * kDenseRows, quads = columns / 4;
  const float4* row[kDenseRows];
  for (std::uint32_t r = 0; r < kDenseRows; ++r) {  // past the end the last row serves once more
    const std::size_t at = min(first + r, rows - 1);
    row[r] = reinterpret_cast<const float4*>(documents + at * columns);
  }
  float sum[kDenseRows] = {};
  for (std::uint32_t i = threadIdx.x; i < quads; i += kBlock) {
    const float4 q = reinterpret_cast<const float4*>(query)[i];
    for (std::uint32_t r = 0; r < kDenseRows; ++r) {
      const float4 d = __ldcs(row[r] + i);  // read once: leaves the L2 to the query
      sum[r] += d.x * q.x + d.y * q.y + d.z * q.z + d.w * q.w;
    }
  }
  for (std::uint32_t r = 0; r < kDenseRows; ++r) partial[r][threadIdx.x] = sum[r];
  __syncthreads();
  for (std::uint32_t step = kBlock / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      for (std::uint32_t r = 0; r < kDenseRows; ++r)
        partial[r][threadIdx.x] += partial[r][threadIdx.x + step];
    }
    __syncthreads();
  }
  if (threadIdx.x < kDenseRows && first + threadIdx.x < rows)
    similarities[first + threadIdx.x] = partial[threadIdx.x][0];
}

/// One warp per row.
__global__ void __launch_bounds__(kBlock)
    scatter_kernel(SparseView rows, std::uint32_t first, std::uint32_t count, DensePlace place,
                   float scale, float* dense) {
  const std::size_t row = (std::size_t{blockIdx.x} * kBlock + threadIdx.x) / kSlice;
  if (row >= count) return;
  const std::uint32_t end = rows.row_begin[first + row + 1];
  for (auto i = rows.row_begin[first + row] + threadIdx.x % kSlice; i < end; i += kSlice)
    dense[row * place.row_stride + rows.term[i] * place.term_stride] = rows.weight[i] * scale;
}

}  // namespace

void merge_rows(SlicesView documents, SparseView queries, std::uint32_t first, std::uint32_t count,
                float* similarities) {
  if (documents.rows == 0 || count == 0) return;
  const std::size_t bytes = (std::size_t{queries.longest} + 1) * 8;
  allow_shared(merge_rows_kernel, bytes);
  const dim3 grid(blocks_for(documents.rows, kBlock), count);
  merge_rows_kernel<<<grid, kBlock, bytes>>>(documents, queries, first, similarities);
  cuda_check(cudaGetLastError(), "merge_rows");
}

void merge_tiles(SlicesView documents, SparseView queries, std::uint32_t first, std::uint32_t count,
                 float* similarities) {
  if (documents.rows == 0 || count == 0) return;
  const std::size_t bytes =
      (std::size_t{documents.longest} * kSlice + (std::size_t{queries.longest} + 1) * kTile) * 8;
  allow_shared(merge_tiles_kernel, bytes);
  const dim3 grid(blocks_for(documents.rows, kSlice), blocks_for(count, kTile));
  merge_tiles_kernel<<<grid, dim3(kSlice, kTile), bytes>>>(documents, queries, first, count,
                                                           similarities);
  cuda_check(cudaGetLastError(), "merge_tiles");
}

DenseDocuments::DenseDocuments(SparseView documents)
    : rows_(documents.rows),
      columns_((documents.columns + 3) / 4 * 4),
      documents_(std::size_t{rows_} * columns_),
      query_(columns_) {
  documents_.zero();
  query_.zero();
  scatter_rows(documents, 0, rows_, {columns_, 1}, 1, documents_.data());
}

void DenseDocuments::similarities(SparseView queries, std::uint32_t query, float* similarities) {
  if (rows_ == 0) return;
  scatter_rows(queries, query, 1, {0, 1}, 1, query_.data());
  dense_product_kernel<<<blocks_for(rows_, kDenseRows), kBlock>>>(documents_.data(), query_.data(),
                                                                  rows_, columns_, similarities);
  cuda_check(cudaGetLastError(), "dense product");
  scatter_rows(queries, query, 1, {0, 1}, 0, query_.data());
}

void scatter_rows(SparseView rows, std::uint32_t first, std::uint32_t count, DensePlace place,
                  float scale, float* dense) {
  if (count == 0) return;
  scatter_kernel<<<blocks_for(std::size_t{count} * kSlice, kBlock), kBlock>>>(rows, first, count,
                                                                              place, scale, dense);
  cuda_check(cudaGetLastError(), "scatter_rows");
}

}  // namespace kindred::bench
