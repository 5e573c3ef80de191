// Exact k nearest neighbors: one block per query, or one per query and part of the mirror. Queries
// that are hard, and those of very many terms, are left to kernels of their own. Blocks take the
// queries of a batch as they get free, the costliest first.
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
//   (gpu/cuda/device/chunk_layout.cuh), since conflicts are what an add costs.
// - Documents are sorted by length inside a tile, so that one bound serves 64 of them and a scan
//   looks at 8 or 32 at once.
#include "gpu/cuda/knn/search.cuh"

#include <bit>
#include <climits>

#include "config/error.h"
#include "gpu/cuda/knn/answer.cuh"
#include "gpu/cuda/knn/search_tile.cuh"

namespace kindred::cuda {
namespace {

__device__ void score_rows(const Block& block, const SearchJob& job, std::uint32_t part) {
  // Rows come in lists as long as candidates can be; each list is merged before the next.
  const auto begin = static_cast<std::uint32_t>(std::uint64_t{job.row_count} * part / job.parts);
  const auto end =
      static_cast<std::uint32_t>(std::uint64_t{job.row_count} * (part + 1) / job.parts);

  for (std::uint32_t first = begin; first < end; first += kCandidates) {
    finish_together(block, job.mirror, min(end - first, kCandidates), [&](std::uint32_t i) {
      return job.rows[first + i];
    });
    merge_candidates(block);
  }
}

/// The block's memory, cleared.
__device__ Block begin_block(const SearchJob& job, Fixed& fixed, char* memory,
                             std::uint32_t sums_bytes) {
  if (threadIdx.x < kCountsInside)
    fixed.tf[threadIdx.x] = threadIdx.x < job.mirror.tf_size ? job.mirror.tf[threadIdx.x] : 0;
  zero(memory, sums_bytes);
  return {fixed, memory, reinterpret_cast<Key*>(memory + sums_bytes), job.k};
}

__device__ Key start_of(const SearchJob& job, std::uint32_t q) {
  return job.after == nullptr ? 0 : job.after[q];
}

/// Answers a block's share of the parts of queries.
template <bool kInParts, typename SearchPart>
__device__ void search_parts(const Block& block, const SearchJob& job, SearchPart&& search_part) {
  const QueryBatch& queries = job.queries;
  const std::uint32_t works = queries.rows * job.parts;
  for (std::uint32_t work = blockIdx.x; work < works; work += gridDim.x) {
    // A block may have several works, so it begins each with a clean state.
    const std::uint32_t q = work / job.parts, part = work % job.parts;
    const std::uint64_t begin = queries.row_begin[q], end = queries.row_begin[q + 1];

    __syncthreads();
    clear_keys(block);
    load_query(block, queries,
               {static_cast<std::uint32_t>(begin - queries.base),
                static_cast<std::uint32_t>(end - begin), q},
               q, start_of(job, q));
    search_part(part);

    // The last block of a query that is cut into parts answers it.
    if constexpr (kInParts) {
      if (!gather_parts(block, job, part)) continue;
      write_gathered(block, job);
    } else {
      write_answer(block, job);
    }

    // Answers use the memory of the accumulators, which the next work needs at 0.
    if (kInParts || job.shares != nullptr) clear(block.sums, kAnswerBytes);
  }
}

/// Answers items: number_of(i) for each i below `end`. A block begins with its own and takes the
/// next one whenever it is done; `taken` counts these. search_query() looks for candidates; false
/// if the item is to be deferred.
template <typename NumberOf, typename SearchQuery>
__device__ void search_items(const Block& block, const SearchJob& job, std::uint32_t end,
                             std::uint32_t* taken, NumberOf&& number_of,
                             SearchQuery&& search_query) {
  for (std::uint32_t i = blockIdx.x; i < end;) {
    // The next item is taken now: its number is there when this one is answered.
    std::uint32_t next = 0;
    if (threadIdx.x == 0) next = gridDim.x + atomicAdd(taken, 1u);  // arrives with the query

    clear_keys(block);
    const std::uint32_t number = number_of(i);
    const QueryItem item = job.items[number];
    load_query(block, job.queries, item, number, start_of(job, item.number));
    if (threadIdx.x == 0) block.fixed.next_item = next;

    // An answered query is written; a hard one is listed for another kernel.
    if (search_query()) {
      write_answer(block, job);
      if (job.shares != nullptr) clear(block.sums, kAnswerBytes);
    } else if (threadIdx.x == 0) {
      job.deferred[atomicAdd(&job.progress->deferred, 1u)] = block.fixed.query.work;
    }

    // All threads go on with the same item.
    __syncthreads();
    i = block.fixed.next_item;
  }
}

/// Answers the parts of queries, a block each.
__global__ void __launch_bounds__(kThreads, kBlocksWanted)
    search_parts_kernel(const __grid_constant__ SearchJob job, std::uint32_t sums_bytes) {
  extern __shared__ __align__(16) char memory[];
  __shared__ Fixed fixed;
  const Block block = begin_block(job, fixed, memory, sums_bytes);
  search_parts<true>(block, job, [&](std::uint32_t part) {
    search_tiles<Hard::kAnswer>(block, Alone{}, job, part, job.parts);
  });
}

/// Answers items, a block each, or defers them for search_hard_kernel(). One kernel for all would
/// need more registers.
template <typename Team>
__global__ void __launch_bounds__(kThreads, kBlocksWanted)
    search_kernel(const __grid_constant__ SearchJob job, std::uint32_t sums_bytes) {
  extern __shared__ __align__(16) char memory[];
  __shared__ Fixed fixed;
  const Block block = begin_block(job, fixed, memory, sums_bytes);
  search_items(
      block, job, job.queries.rows - job.long_items, &job.progress->taken,
      [&](std::uint32_t i) {
        return job.long_items + i;
      },
      [&] {
        return search_tiles<Hard::kDefer>(block, Team{}, job, 0, 1);
      });
}

/// Answers deferred items, a block each, if there are more than a few.
__global__ void __launch_bounds__(kThreads, kBlocksWanted)
    search_hard_kernel(const __grid_constant__ SearchJob job, std::uint32_t sums_bytes) {
  extern __shared__ __align__(16) char memory[];
  __shared__ Fixed fixed;

  // Few hard queries are left to teams, and blocks without an item have nothing to clear.
  const std::uint32_t items = job.progress->deferred;
  if (items <= job.few_hard || blockIdx.x >= items) return;

  const Block block = begin_block(job, fixed, memory, sums_bytes);
  search_items(
      block, job, items, &job.progress->deferred_taken,
      [&](std::uint32_t i) {
        return job.deferred[i];
      },
      [&] {
        return search_tiles<Hard::kExpect>(block, Alone{}, job, 0, 1);
      });
}

/// Answers items of very many terms or, if `are_deferred`, a few hard ones, a cluster each: one
/// block would still work on such a query when all others are answered.
__global__ void __launch_bounds__(kThreads, kBlocksWanted)
    search_team_kernel(const __grid_constant__ SearchJob job, bool are_deferred,
                       std::uint32_t sums_bytes) {
  extern __shared__ __align__(16) char memory[];
  __shared__ Fixed fixed;
  const Cluster<Distribution::kCyclic> team;
  const std::uint32_t own = blockIdx.x / team.size();

  // What decides is the same in all blocks of a team, so all of them leave or none does.
  if (are_deferred && (own >= job.progress->deferred || job.progress->deferred > job.few_hard))
    return;

  const Block block = begin_block(job, fixed, memory, sums_bytes);
  const QueryItem item = job.items[are_deferred ? job.deferred[own] : own];
  clear_keys(block);
  load_query(block, job.queries, item, are_deferred ? kMostLong + own : own,
             start_of(job, item.number));

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
  search_parts<kInParts>(block, job, [&](std::uint32_t part) {
    score_rows(block, job, part);
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
  const Cluster<Distribution::kBlock> team;
  clear_keys(block);
  load_query(block, query);
  __syncthreads();

  // A team has one part of the tiles, and each of its blocks has an answer of its own to hand in.
  search_tiles<Hard::kAnswer>(block, team, job, blockIdx.x / team.size(), job.parts / team.size());
  if (job.parts > 1 && !gather_parts(block, job, blockIdx.x)) return;
  write_gathered(block, job);
  announce(job, query.arrived);
}

/// Launches a kernel of `blocks` blocks in teams: clusters, if there is more than one in a team.
template <typename... Parameters, typename... Arguments>
void launch_teams(void (*kernel)(Parameters...), const char* name, std::uint32_t team,
                  std::uint32_t blocks, const SearchShape& shape, cudaStream_t stream,
                  const Arguments&... arguments) {
  // A cluster is asked for only where blocks read each other's memory.
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

  launch_check(name, cudaLaunchKernelEx(&config, kernel, arguments..., shape.sums_bytes));
}

/// Lets teams answer items: the long ones, or a few that are hard.
void search_by_teams(const SearchJob& job, bool are_deferred, const SearchShape& shape,
                     cudaStream_t stream) {
  const std::uint32_t items = are_deferred ? job.few_hard : job.long_items;
  if (items == 0) return;

  // To the blocks of a team, the query is cut into as many parts as there are blocks.
  SearchJob in_teams = job;
  in_teams.parts = kLargestTeam;
  launch_teams(search_team_kernel, "search_team_kernel", kLargestTeam, items * kLargestTeam, shape,
               stream, in_teams, are_deferred);
}

/// Launches a kernel for so many works. Nothing to do where there is none.
void launch(void (*kernel)(SearchJob, std::uint32_t), const char* name, std::uint64_t works,
            const SearchJob& job, const SearchShape& shape, cudaStream_t stream) {
  if (works == 0) return;
  const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(works, shape.blocks));
  kernel<<<blocks, kThreads, shape.shared_bytes, stream>>>(job, shape.sums_bytes);
  launch_check(name);
}

}  // namespace

KernelCode enable_search(const Device& device) {
  // All kernels are loaded now, so that the first query does not wait for that. They may have been
  // compiled for different devices: what all can do is what the least of them can.
  KernelCode least{INT_MAX, 0};
  for (const void* kernel : {reinterpret_cast<const void*>(search_kernel<Alone>),
                             reinterpret_cast<const void*>(search_kernel<AloneUnmixed>),
                             reinterpret_cast<const void*>(search_parts_kernel),
                             reinterpret_cast<const void*>(search_hard_kernel),
                             reinterpret_cast<const void*>(search_team_kernel),
                             reinterpret_cast<const void*>(score_rows_kernel<false>),
                             reinterpret_cast<const void*>(score_rows_kernel<true>),
                             reinterpret_cast<const void*>(search_one_kernel<ShortQuery>),
                             reinterpret_cast<const void*>(search_one_kernel<OneQuery>),
                             reinterpret_cast<const void*>(search_one_kernel<LongQuery>)}) {
    const KernelCode code = code_of(device, kernel);
    cuda_check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(device.shared_per_block() - code.shared_bytes)),
        "search_kernel");
    if (code.architecture < least.architecture) least = code;
  }
  return least;
}

SearchShape shape_search(const Device& device, std::uint32_t largest_words, std::uint32_t k) {
  // The accumulators hold the largest tile, or whatever else is put in their place.
  SearchShape shape;
  shape.sums_bytes = std::max((largest_words + kPaddingWords) * 4, std::uint32_t{kScratchBytes});
  shape.shared_bytes = shape.sums_bytes + keys_bytes(k);
  if (shape.shared_bytes + sizeof(Fixed) > device.shared_per_block())
    throw Error(Errc::kUnsupported, device.name() + " has too little shared memory for a block");

  // As many blocks as fit a multiprocessor's shared memory, up to those that registers allow.
  const std::size_t fit =
      device.shared_per_multiprocessor() / (shape.shared_bytes + sizeof(Fixed) + kReserved);
  shape.blocks = static_cast<std::uint32_t>(std::clamp<std::size_t>(fit, 1, kBlocksWanted)) *
                 static_cast<std::uint32_t>(device.multiprocessors());
  return shape;
}

void search(const SearchJob& job, const SearchShape& shape, cudaStream_t stream) {
  const std::uint64_t works = std::uint64_t{job.queries.rows} * job.parts - job.long_items;
  if (job.rows != nullptr)
    return launch(job.parts > 1 ? score_rows_kernel<true> : score_rows_kernel<false>,
                  "score_rows_kernel", works, job, shape, stream);
  if (job.parts > 1)
    return launch(search_parts_kernel, "search_parts_kernel", works, job, shape, stream);
  launch(job.mirror.has_mixed_runs ? search_kernel<Alone> : search_kernel<AloneUnmixed>,
         "search_kernel", works, job, shape, stream);
}

void search_hard(const SearchJob& job, const SearchShape& shape, cudaStream_t stream) {
  const std::uint32_t most = job.queries.rows - job.long_items;
  if (most > 0) search_by_teams(job, true, shape, stream);
  launch(search_hard_kernel, "search_hard_kernel", most, job, shape, stream);
}

void search_long(const SearchJob& job, const SearchShape& shape, cudaStream_t stream) {
  search_by_teams(job, false, shape, stream);
}

std::uint32_t team_size(const KernelCode& code, const SearchShape& shape, std::uint32_t tiles) {
  std::uint32_t size = 1;
  while (code.has_clusters() && size < kLargestTeam && 2 * size * tiles <= shape.most_parts())
    size *= 2;
  return size;
}

template <typename OwnQuery>
void search_one(const SearchJob& job, const OwnQuery& query, std::uint32_t team,
                const SearchShape& shape, cudaStream_t stream) {
  launch_teams(search_one_kernel<OwnQuery>, "search_one_kernel", team, job.parts, shape, stream,
               job, query);
}
template void search_one(const SearchJob&, const ShortQuery&, std::uint32_t, const SearchShape&,
                         cudaStream_t);
template void search_one(const SearchJob&, const OneQuery&, std::uint32_t, const SearchShape&,
                         cudaStream_t);
template void search_one(const SearchJob&, const LongQuery&, std::uint32_t, const SearchShape&,
                         cudaStream_t);

}  // namespace kindred::cuda
