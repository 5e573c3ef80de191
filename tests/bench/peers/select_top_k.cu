// The k best of a row of similarities; every method of this benchmark ends in it.
// Floor: 4 B per similarity, read twice. 23,149 documents: 185 KB per query, 24 ns at the 7.7 TB/s
//   of the L2, 19 ms for the 781,265 queries of the reference job.
// Shape: one block per query. Each thread keeps the best of its share, and the k-th best of those
// is
//   a threshold: k similarities reach it, and only k threads have any that do. So those that pass
//   in the second reading fit a buffer of k shares, and are about k; counting ranks them.
//   Similarity and row make one key, so no two keys are equal, and the answer is unique.
#include "tests/bench/peers/select_top_k.cuh"

#include <stdexcept>

#include "tests/bench/peers/device_array.cuh"

namespace kindred::bench {
namespace {

constexpr std::uint32_t kBlock = kLargestK;
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
