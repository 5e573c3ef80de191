// Exact k nearest neighbors: one block per query, or one per query and part of the mirror. Queries
// that are hard, and those of very many terms, are left to kernels of their own.
//
// For each tile:
// 1. The postings of the query's terms are added up in shared memory, as 16-bit coarse
//    contributions rounded up (gpu/scoring.h, docs/scoring.md), two documents per word.
// 2. The sums are read once for a threshold that at least k documents reach, and once for the
//    documents that can reach it.
// 3. Those few documents are finished exactly from their forward rows, and ranked.
//
// Nothing dense leaves the block.
//
// Floor: one shared-memory add (2.8e12 per second on an H200) and 2 bytes from L2 per posting.
// Shape:
// - Sums have 16 bits, so that four blocks fit a multiprocessor. The latencies of one (term and run
//   look-ups, barriers, forward rows) hide behind the adds of another.
// - A run has one count, so that the contribution of a posting is known before it is read.
// - Postings are laid out so that lanes that add at the same time use different banks
//   (gpu/cuda/mirror/chunk_layout.cuh), since conflicts are what an add costs.
// - Documents are sorted by length inside a tile, so that one bound serves 64 of them and a scan
//   looks at 8 at once.
#include "gpu/cuda/search/search.cuh"

#include <algorithm>
#include <bit>

#include "config/error.h"
#include "gpu/cuda/search/answer.cuh"
#include "gpu/cuda/search/merge.cuh"
#include "gpu/cuda/search/search_tile.cuh"

namespace kindred::cuda {
namespace {

__device__ void score_rows(const Block& block, const SearchJob& job, std::uint32_t part) {
  const auto begin = static_cast<std::uint32_t>(std::uint64_t{job.row_count} * part / job.parts);
  const auto end =
      static_cast<std::uint32_t>(std::uint64_t{job.row_count} * (part + 1) / job.parts);
  for (std::uint32_t first = begin; first < end; first += kCandidates) {
    finish_together(block, job.mirror, min(end - first, kCandidates),
                    [&](std::uint32_t i) { return job.rows[first + i]; });
    merge_candidates(block);
  }
}

/// The block's memory, cleared.
__device__ Block begin_block(const SearchJob& job, Fixed& fixed, char* memory,
                             std::uint32_t sums_bytes) {
  if (threadIdx.x < kCountsInside)
    fixed.tf[threadIdx.x] = threadIdx.x < job.mirror.tf_size ? job.mirror.tf[threadIdx.x] : 0;
  for (std::uint32_t i = threadIdx.x; i < sums_bytes / 16; i += kThreads)
    reinterpret_cast<uint4*>(memory)[i] = {};
  return {fixed, memory, reinterpret_cast<Key*>(memory + sums_bytes), job.k};
}

/// Lists a query for another kernel; one thread. Those of very many terms, as long as there is
/// room, for search_long_kernel().
__device__ void defer(const SearchJob& job, const Query& query) {
  DeferredQueries& deferred = *job.deferred;
  if (query.terms > kManyTerms) {
    const std::uint32_t i = atomicAdd(&deferred.many_terms, 1u);
    if (i < job.most_long) {
      job.deferred_number[i] = query.number;
      return;
    }
  }
  job.deferred_number[job.most_long + atomicAdd(&deferred.others, 1u)] = query.number;
}

/// Answers one query, or one of its parts. search_part() looks for candidates; false if the query
/// is to be deferred.
template <bool kInParts, typename SearchPart>
__device__ void answer_query(const Block& block, const SearchJob& job, std::uint32_t q,
                             std::uint32_t part, SearchPart&& search_part) {
  __syncthreads();
  clear_keys(block);
  load_query(block, job.queries, q, job.after == nullptr ? 0 : job.after[q]);
  if (!search_part()) {
    if (threadIdx.x == 0) defer(job, block.fixed.query);
    return;
  }
  if constexpr (kInParts) {
    if (!gather_parts(block, job, part)) return;
    write_gathered(block, job);
  } else {
    write_answer(block, job);
  }
  if (kInParts || job.shares != nullptr) clear(block.sums, kAnswerBytes);
}

/// Answers a block's share of the queries, or of their parts.
template <bool kInParts, typename SearchPart>
__device__ void search_queries(const Block& block, const SearchJob& job, SearchPart&& search_part) {
  const std::uint32_t items = job.queries.rows * job.parts;
  for (std::uint32_t item = blockIdx.x; item < items; item += gridDim.x) {
    const std::uint32_t part = item % job.parts;
    answer_query<kInParts>(block, job, item / job.parts, part, [&] { return search_part(part); });
  }
}

/// True if search_long_kernel() should answer a query, even if it is not hard.
__device__ bool has_many_terms(const SearchJob& job, const Query& query) {
  return job.most_long > 0 && query.terms > kManyTerms;
}

/// There is one kernel for queries that are cut into parts, and one for those that are not. That
/// one defers queries for search_hard_kernel(). One kernel for all would need more registers.
template <bool kInParts>
__global__ void __launch_bounds__(kThreads, kBlocksWanted)
    search_kernel(const __grid_constant__ SearchJob job, std::uint32_t sums_bytes) {
  extern __shared__ __align__(16) char memory[];
  __shared__ Fixed fixed;
  constexpr Hard kHard = kInParts ? Hard::kAnswer : Hard::kDefer;
  const Block block = begin_block(job, fixed, memory, sums_bytes);
  search_queries<kInParts>(block, job, [&](std::uint32_t part) {
    return (kInParts || !has_many_terms(job, block.fixed.query)) &&
           search_tiles<kHard>(block, Alone{}, job, part, job.parts);
  });
}

/// Answers deferred queries, a block each.
__global__ void __launch_bounds__(kThreads, kBlocksWanted)
    search_hard_kernel(const __grid_constant__ SearchJob job, std::uint32_t sums_bytes) {
  extern __shared__ __align__(16) char memory[];
  __shared__ Fixed fixed;
  const std::uint32_t items = job.deferred->others;
  if (blockIdx.x >= items) return;
  const Block block = begin_block(job, fixed, memory, sums_bytes);
  for (std::uint32_t item = blockIdx.x; item < items; item += gridDim.x)
    answer_query<false>(block, job, job.deferred_number[job.most_long + item], 0,
                        [&] { return search_tiles<Hard::kExpect>(block, Alone{}, job, 0, 1); });
}

/// Answers deferred queries of very many terms, a cluster each: one block would still work on such
/// a query when all others are answered.
__global__ void __launch_bounds__(kThreads, kBlocksWanted)
    search_long_kernel(const __grid_constant__ SearchJob job, std::uint32_t sums_bytes) {
  extern __shared__ __align__(16) char memory[];
  __shared__ Fixed fixed;
  const Cluster team;
  const std::uint32_t item = blockIdx.x / team.size();
  if (item >= job.deferred->many_terms) return;
  const Block block = begin_block(job, fixed, memory, sums_bytes);
  const std::uint32_t q = job.deferred_number[item];
  clear_keys(block);
  load_query(block, job.queries, q, job.after == nullptr ? 0 : job.after[q]);
  if (threadIdx.x == 0) fixed.query.work = item;
  __syncthreads();
  search_tiles<Hard::kExpect>(block, team, job, 0, 1);
  if (gather_parts(block, job, team.rank())) write_gathered(block, job);
}

/// The same for the rows of job.rows, one by one.
template <bool kInParts>
__global__ void __launch_bounds__(kThreads, kBlocksWanted)
    score_rows_kernel(const __grid_constant__ SearchJob job, std::uint32_t sums_bytes) {
  extern __shared__ __align__(16) char memory[];
  __shared__ Fixed fixed;
  const Block block = begin_block(job, fixed, memory, sums_bytes);
  search_queries<kInParts>(block, job, [&](std::uint32_t part) {
    score_rows(block, job, part);
    return true;
  });
}

/// Answers one query, which comes with the launch. The host watches its answer arrive.
template <typename OwnQuery>
__global__ void __launch_bounds__(kThreads, kBlocksWanted)
    search_one_kernel(const __grid_constant__ SearchJob job, const __grid_constant__ OwnQuery query,
                      std::uint32_t sums_bytes) {
  extern __shared__ __align__(16) char memory[];
  __shared__ Fixed fixed;
  const Block block = begin_block(job, fixed, memory, sums_bytes);
  const Cluster team;
  clear_keys(block);
  load_query(block, query);
  __syncthreads();
  search_tiles<Hard::kAnswer>(block, team, job, blockIdx.x / team.size(), job.parts / team.size());
  if (job.parts > 1 && !gather_parts(block, job, blockIdx.x)) return;
  write_gathered(block, job);
  announce(job, query.arrived);
}

std::size_t sums_bytes(std::uint32_t largest_words) {
  return std::max((std::size_t{largest_words} + kPaddingWords) * 4, kScratchBytes);
}

/// Launches a kernel of `blocks` blocks in teams: clusters, if there is more than one in a team.
template <typename... Parameters, typename... Arguments>
void launch_teams(void (*kernel)(Parameters...), std::uint32_t team, std::uint32_t blocks,
                  const SearchShape& shape, cudaStream_t stream, const Arguments&... arguments) {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {team, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = kThreads;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = team > 1 ? 1 : 0;
  const auto bytes = static_cast<std::uint32_t>(sums_bytes(shape.largest_words));
  cuda_check(cudaLaunchKernelEx(&config, kernel, arguments..., bytes), "search");
}

/// Answers the deferred queries of very many terms, as many as may be.
void search_long(const SearchJob& job, const SearchShape& shape, cudaStream_t stream) {
  if (job.most_long == 0) return;
  SearchJob in_teams = job;
  in_teams.parts = kLargestTeam;
  launch_teams(search_long_kernel, kLargestTeam, job.most_long * kLargestTeam, shape, stream,
               in_teams);
}

}  // namespace

void enable_search(const Device& device) {
  for (const void* kernel : {reinterpret_cast<const void*>(search_kernel<false>),
                             reinterpret_cast<const void*>(search_kernel<true>),
                             reinterpret_cast<const void*>(search_hard_kernel),
                             reinterpret_cast<const void*>(search_long_kernel),
                             reinterpret_cast<const void*>(score_rows_kernel<false>),
                             reinterpret_cast<const void*>(score_rows_kernel<true>),
                             reinterpret_cast<const void*>(search_one_kernel<ShortQuery>),
                             reinterpret_cast<const void*>(search_one_kernel<OneQuery>),
                             reinterpret_cast<const void*>(search_one_kernel<LongQuery>)}) {
    cudaFuncAttributes attributes{};
    cuda_check(cudaFuncGetAttributes(&attributes, kernel), "search_kernel");
    cuda_check(cudaFuncSetAttribute(
                   kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                   static_cast<int>(device.shared_per_block() - attributes.sharedSizeBytes)),
               "search_kernel");
  }
}

SearchShape shape_search(const Device& device, std::uint32_t largest_words, std::uint32_t k) {
  SearchShape shape;
  shape.largest_words = largest_words;
  shape.shared_bytes = sums_bytes(largest_words) + keys_bytes(k);
  if (shape.shared_bytes + sizeof(Fixed) > device.shared_per_block())
    throw Error(Errc::kUnsupported, device.name() + " has too little shared memory for a block");
  const std::size_t fit =
      device.shared_per_multiprocessor() / (shape.shared_bytes + sizeof(Fixed) + kReserved);
  shape.blocks = static_cast<std::uint32_t>(std::clamp<std::size_t>(fit, 1, kBlocksWanted)) *
                 static_cast<std::uint32_t>(device.multiprocessors());
  return shape;
}

void search(const SearchJob& job, const SearchShape& shape, cudaStream_t stream) {
  const std::uint64_t items = std::uint64_t{job.queries.rows} * job.parts;
  if (items == 0) return;
  const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(items, shape.blocks));
  const bool in_parts = job.parts > 1, defers = !in_parts && job.rows == nullptr;
  if (defers)
    cuda_check(cudaMemsetAsync(job.deferred, 0, sizeof(*job.deferred), stream), "search_kernel");
  const auto kernel = job.rows != nullptr
                          ? (in_parts ? score_rows_kernel<true> : score_rows_kernel<false>)
                          : (in_parts ? search_kernel<true> : search_kernel<false>);
  const auto bytes = static_cast<std::uint32_t>(sums_bytes(shape.largest_words));
  kernel<<<blocks, kThreads, shape.shared_bytes, stream>>>(job, bytes);
  launch_check("search_kernel");
  if (!defers) return;
  search_long(job, shape, stream);
  search_hard_kernel<<<blocks, kThreads, shape.shared_bytes, stream>>>(job, bytes);
  launch_check("search_hard_kernel");
}

std::uint32_t team_size(const Device& device, const SearchShape& shape, std::uint32_t tiles) {
  std::uint32_t size = 1;
  while (device.has_clusters() && size < kLargestTeam && 2 * size * tiles <= shape.most_parts())
    size *= 2;
  return size;
}

namespace {

template <typename OwnQuery>
void launch_one(const SearchJob& job, const OwnQuery& query, std::uint32_t team,
                const SearchShape& shape, cudaStream_t stream) {
  launch_teams(search_one_kernel<OwnQuery>, team, job.parts, shape, stream, job, query);
}

}  // namespace

void search_one(const SearchJob& job, const OneQuery& query, std::uint32_t team,
                const SearchShape& shape, cudaStream_t stream) {
  if (query.terms <= kFewTerms)
    launch_one(job, ShortQuery(query), team, shape, stream);
  else
    launch_one(job, query, team, shape, stream);
}

void search_one(const SearchJob& job, const LongQuery& query, std::uint32_t team,
                const SearchShape& shape, cudaStream_t stream) {
  launch_one(job, query, team, shape, stream);
}

}  // namespace kindred::cuda
