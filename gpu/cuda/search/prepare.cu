// Turns counts into the factors of query terms.
// Floor: 6 bytes in and 8 bytes out per entry over HBM's rate: 0.2 ms for the reference job's 59 M
// entries.
// Shape: one warp per query, so that its entries load coalesced.
#include "gpu/cuda/search/prepare.cuh"

#include <algorithm>

#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/mirror/warp_length.cuh"
#include "gpu/scoring.h"

namespace kindred::cuda {
namespace {

__device__ double weight_of(const MirrorView& mirror, const RawQueries& queries, std::uint64_t i) {
  const std::uint32_t count = min(static_cast<std::uint32_t>(queries.count[i]), mirror.tf_size - 1);
  return mirror.tf[count] * mirror.idf[queries.term[i]];
}

/// What is wrong with the terms of one query; the same in all lanes.
__device__ unsigned check_terms(const MirrorView& mirror, const RawQueries& queries,
                                std::uint64_t begin, std::uint64_t end, unsigned lane) {
  unsigned fault = kNoFault;
#pragma unroll 4
  for (std::uint64_t i = begin + lane; i < end; i += 32) {
    if (i > begin && queries.term[i - 1] >= queries.term[i])
      fault = max(fault, unsigned{kTermsDescend});
    if (queries.term[i] >= mirror.columns) fault = max(fault, unsigned{kUnknownTerm});
  }
  return __reduce_max_sync(kWholeWarp, fault);
}

/// The power of two by which Queries multiplies the weights of a query first.
__device__ double scale_of(const MirrorView& mirror, const RawQueries& queries, std::uint64_t begin,
                           std::uint64_t end, unsigned lane) {
  double largest = 0;
#pragma unroll 4
  for (std::uint64_t i = begin + lane; i < end; i += 32)
    largest = fmax(largest, weight_of(mirror, queries, i));
  return length_scale(warp_magnitude(largest));
}

__global__ void prepare_queries_kernel(MirrorView mirror, RawQueries queries, std::uint32_t* term,
                                       double* factor, unsigned* fault) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t warps = gridDim.x * (kBlockThreads / 32);
  for (std::uint32_t q = (blockIdx.x * kBlockThreads + threadIdx.x) / 32; q < queries.rows;
       q += warps) {
    const std::uint64_t begin = queries.row_begin[q] - queries.base;
    const std::uint64_t end = queries.row_begin[q + 1] - queries.base;
    unsigned wrong = check_terms(mirror, queries, begin, end, lane);
    double scale = 1, length = 1;
    if (wrong == kNoFault && queries.count != nullptr) {
      scale = scale_of(mirror, queries, begin, end, lane);
      length = warp_length(begin, end,
                           [&](std::uint64_t i) { return weight_of(mirror, queries, i) * scale; });
    }
    if (wrong == kNoFault && !isfinite(length)) wrong = kNotFinite;
    if (wrong != kNoFault && lane == 0) *fault = wrong;
    for (std::uint64_t i = begin + lane; i < end; i += 32) {
      term[i] = queries.term[i];
      double unit = 0;
      if (wrong == kNoFault && queries.count == nullptr) unit = queries.weight[i];
      if (wrong == kNoFault && queries.count != nullptr && length > 0)
        unit = weight_of(mirror, queries, i) * scale / length;
      factor[i] = unit > 0 ? term_factor(unit, mirror.idf[queries.term[i]], mirror.scale) : 0;
    }
  }
}

}  // namespace

void prepare_queries(const MirrorView& mirror, const RawQueries& queries, std::uint32_t* term,
                     double* factor, unsigned* fault, cudaStream_t stream) {
  if (queries.rows == 0) return;
  const unsigned blocks = std::min(blocks_for(queries.rows, kBlockThreads / 32), 16384u);
  prepare_queries_kernel<<<blocks, kBlockThreads, 0, stream>>>(mirror, queries, term, factor,
                                                               fault);
  launch_check("prepare_queries_kernel");
}

}  // namespace kindred::cuda
