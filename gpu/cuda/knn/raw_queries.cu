// Turns counts into the factors of query terms.
// Floor: 6 bytes in and 8 bytes out per entry over HBM's rate: 0.2 ms for the reference job's 59 M
// entries.
// Shape: one warp per query, so that its entries load coalesced. Queries of very many terms have a
// block each, since all that follows would wait for one warp.
#include "gpu/cuda/knn/raw_queries.cuh"

#include <algorithm>

#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/device/vector_length.cuh"
#include "gpu/scoring.h"

namespace kindred::cuda {
namespace {

constexpr std::uint64_t kTermsOfWarp = 256;

__device__ double weight_of(const MirrorView& mirror, const RawQueries& queries, std::uint64_t i) {
  const std::uint32_t count = min(static_cast<std::uint32_t>(queries.count[i]), mirror.tf_size - 1);
  return mirror.tf[count] * mirror.idf[queries.term[i]];
}

/// What is wrong with the terms of one query; the same in all lanes.
template <typename Lanes>
__device__ unsigned check_terms(const MirrorView& mirror, const RawQueries& queries,
                                std::uint64_t begin, std::uint64_t end) {
  unsigned fault = kNoFault;
  const std::uint64_t first = begin + Lanes::own();
#pragma unroll 4
  for (std::uint64_t i = first; i < end; i += Lanes::kCount) {
    if (i > begin && queries.term[i - 1] >= queries.term[i])
      fault = max(fault, unsigned{kTermsDescend});
    if (queries.term[i] >= mirror.columns) fault = max(fault, unsigned{kUnknownTerm});
  }
  return Lanes::largest(fault);
}

/// The power of two by which Queries multiplies the weights of a query first.
template <typename Lanes>
__device__ double scale_of(const MirrorView& mirror, const RawQueries& queries, std::uint64_t begin,
                           std::uint64_t end) {
  double largest = 0;
  const std::uint64_t first = begin + Lanes::own();
#pragma unroll 4
  for (std::uint64_t i = first; i < end; i += Lanes::kCount)
    largest = fmax(largest, weight_of(mirror, queries, i));
  return length_scale(Lanes::magnitude(largest));
}

/// Where the factors of queries go, and what is wrong with them.
struct Prepared {
  std::uint32_t* term;
  double* factor;
  unsigned* fault;
};

/// Prepares the query whose entries are [begin, end).
template <typename Lanes>
__device__ void prepare_query(const MirrorView& mirror, const RawQueries& queries,
                              std::uint64_t begin, std::uint64_t end, const Prepared& to) {
  unsigned wrong = check_terms<Lanes>(mirror, queries, begin, end);

  // Counts are weighed to the bits of Queries::add_counts(): scaled by a power of two, then divided
  // by the length. Weights come with length 1.
  double scale = 1;
  double length = 1;
  if (wrong == kNoFault && queries.count != nullptr) {
    scale = scale_of<Lanes>(mirror, queries, begin, end);
    length = vector_length<Lanes>(begin, end, [&](std::uint64_t i) {
      return weight_of(mirror, queries, i) * scale;
    });
  }

  if (wrong == kNoFault && !isfinite(length)) wrong = kNotFinite;
  if (wrong != kNoFault && Lanes::own() == 0) *to.fault = wrong;

  // A query with a fault gets factors of 0, so that what follows needs no check: the call fails in
  // the end.
  const std::uint64_t first = begin + Lanes::own();
  for (std::uint64_t i = first; i < end; i += Lanes::kCount) {
    to.term[i] = queries.term[i];
    double unit = 0;
    if (wrong == kNoFault && queries.count == nullptr) unit = queries.weight[i];
    if (wrong == kNoFault && queries.count != nullptr && length > 0)
      unit = weight_of(mirror, queries, i) * scale / length;
    to.factor[i] = unit > 0 ? term_factor(unit, mirror.idf[queries.term[i]], mirror.scale) : 0;
  }
}

/// A warp prepares a query of at most kTermsOfWarp terms.
__global__ void prepare_queries_kernel(MirrorView mirror, RawQueries queries, Prepared to) {
  const std::uint32_t warps = gridDim.x * (kBlockThreads / 32);
  const std::uint32_t own = (blockIdx.x * kBlockThreads + threadIdx.x) / 32;
  for (std::uint32_t q = own; q < queries.rows; q += warps) {
    const std::uint64_t begin = queries.row_begin[q] - queries.base;
    const std::uint64_t end = queries.row_begin[q + 1] - queries.base;
    if (end - begin <= kTermsOfWarp) prepare_query<WarpLanes>(mirror, queries, begin, end, to);
  }
}

/// A block prepares a query of more terms.
__global__ void __launch_bounds__(kBlockThreads)
    prepare_long_queries_kernel(MirrorView mirror, RawQueries queries, Prepared to) {
  for (std::uint32_t q = blockIdx.x; q < queries.rows; q += gridDim.x) {
    const std::uint64_t begin = queries.row_begin[q] - queries.base;
    const std::uint64_t end = queries.row_begin[q + 1] - queries.base;
    if (end - begin > kTermsOfWarp) prepare_query<BlockLanes>(mirror, queries, begin, end, to);
  }
}

}  // namespace

void prepare_queries(const MirrorView& mirror, const RawQueries& queries, std::uint32_t* term,
                     double* factor, unsigned* fault, cudaStream_t stream) {
  if (queries.rows == 0) return;

  const Prepared to{term, factor, fault};

  // Long queries begin first, since they take longest.
  if (queries.most_terms > kTermsOfWarp) {
    const unsigned blocks = std::min(queries.rows, 16384u);
    prepare_long_queries_kernel<<<blocks, kBlockThreads, 0, stream>>>(mirror, queries, to);
    launch_check("prepare_long_queries_kernel");
  }

  const unsigned blocks = std::min(blocks_for(queries.rows, kBlockThreads / 32), 16384u);
  prepare_queries_kernel<<<blocks, kBlockThreads, 0, stream>>>(mirror, queries, to);
  launch_check("prepare_queries_kernel");
}

}  // namespace kindred::cuda
