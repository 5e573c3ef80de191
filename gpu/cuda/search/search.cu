// Exact k nearest neighbors: one block per query, or one per query and part of the mirror.
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
#include "gpu/cuda/search/add_up.cuh"
#include "gpu/cuda/search/answer.cuh"
#include "gpu/cuda/search/choose.cuh"
#include "gpu/cuda/search/finish.cuh"
#include "gpu/cuda/search/merge.cuh"
#include "gpu/cuda/search/plan_sums.cuh"

namespace kindred::cuda {
namespace {

/// What else the memory of the accumulators is used for.
constexpr std::size_t kAnswerBytes = std::max(sizeof(Ballot), kMostParts * sizeof(std::uint32_t));
constexpr std::size_t kScratchBytes = std::max(sizeof(FinishList), kAnswerBytes);
static_assert(sizeof(FinishList) % 16 == 0 && kAnswerBytes % 16 == 0);

/// The slots of a tile that may answer; null if all may.
__device__ const std::uint32_t* slot_bits_of(const SearchJob& job, const TileView& tile) {
  return job.slot_bits == nullptr ? nullptr : job.slot_bits + tile.first_slot / 32;
}

/// Shares what blocks of the same query know of the threshold.
__device__ void share_floor(const Block& block, const SearchJob& job) {
  if (job.parts == 1 || threadIdx.x != 0) return;
  unsigned* const floor = job.floor + block.fixed.query.work;
  block.fixed.threshold = max(block.fixed.threshold, atomicMax(floor, block.fixed.threshold));
}

/// Makes the accumulators what they are between tiles.
__device__ void clear_sums(const Block& block, const TileView& tile) {
  clear(block.sums, max((tile.words() + kPaddingWords) * 4, std::uint32_t{kScratchBytes}));
}

/// True if a better threshold may be found by finishing the likeliest slots.
__device__ bool looks_for_threshold(const Block& block) {
  return block.fixed.kept == 0 && block.fixed.query.after == 0;
}

/// Makes the sums of a tile anew, after they were overwritten.
template <typename Team>
__device__ void start_over(const Block& block, const Team& team, const SearchJob& job,
                           const TileView& tile) {
  clear_sums(block, tile);
  plan_sums(block, job.mirror, tile);
  add_up(block, team, job.mirror, tile);
}

/// Searches a tile that has more slots above the threshold than should be listed, or whose sums
/// would not fit their 16 bits. Each list is finished in the place of the sums, which are then
/// added up again. The first list may be of the likeliest slots: their similarities give a
/// threshold that hardly more than k slots can reach.
///
/// This is rare, so it is a function of its own, with its arguments by value: inlined, it would
/// take registers from what is common.
template <typename Team>
__device__ __noinline__ void search_in_steps(Block block, const SearchJob& job,
                                             const TileView& tile, Pieces<Team> pieces,
                                             bool has_sums, bool tries_likely) {
  const std::uint32_t* const slot_bits = slot_bits_of(job, tile);
  std::uint32_t next = 0;
  bool are_likely = tries_likely && list_likely_slots(block, tile, pieces, slot_bits, block.k);
  while (true) {
    if (!are_likely) next = list_some_slots(block, tile, pieces, next, slot_bits, has_sums);
    finish_slots(block, job.mirror, tile, false);
    if (!are_likely && next == pieces.count * 8) return;
    if (are_likely) clear_keys(block);  // but the threshold stays
    are_likely = false;
    if (has_sums) start_over(block, Alone{}, job, tile);
  }
}

/// Raises the threshold to a similarity that k documents reach, by finishing the likeliest slots.
/// The blocks of a team each finish their part of them.
template <typename Team>
__device__ void raise_by_likely_slots(const Block& block, const Team& team, const SearchJob& job,
                                      const TileView& tile, const Pieces<Team>& pieces) {
  const std::uint32_t share = (block.k + team.size() - 1) / team.size();
  std::uint32_t reached = 0;
  if (list_likely_slots(block, tile, pieces, slot_bits_of(job, tile), share + share / 4)) {
    finish_slots(block, job.mirror, tile, false);
    __syncthreads();
    if (block.fixed.kept >= share) reached = bits_of(block.keys[share - 1]);
  }
  reached = team.least(block, reached);
  __syncthreads();
  clear_keys(block);
  if (threadIdx.x == 0) {
    block.fixed.threshold = max(block.fixed.threshold, reached);
    block.fixed.listed = 0;
  }
  start_over(block, team, job, tile);
  team.gather(block, pieces);
}

/// What a kernel does with a query that has more slots above the threshold than should be listed.
enum class Hard {
  kAnswer,  // answers it
  kDefer,   // leaves it to another kernel
  kExpect,  // takes every query for one
};

/// Searches a tile. False if the query is to be deferred. `is_last`: no tile comes after this one.
/// So a few candidates are not merged, and the memory is not made ready for another.
template <Hard kHard, typename Team>
__device__ bool search_tile(const Block& block, const Team& team, const SearchJob& job,
                            const TileView& tile, bool is_last) {
  if (block.fixed.query.terms == 0) return true;
  const auto pieces = Pieces<Team>::of(tile, team);
  const bool has_sums = plan_sums(block, job.mirror, tile);
  bool is_done = false;
  if (has_sums) {
    add_up(block, team, job.mirror, tile);
    team.gather(block, pieces);
    FirstLook look{false, 0};
    const bool expects = kHard == Hard::kExpect && looks_for_threshold(block);
    if (expects)
      raise_by_likely_slots(block, team, job, tile, pieces);
    else if (block.fixed.kept < block.k && block.fixed.query.after == 0)
      look = raise_threshold(block, tile, pieces, slot_bits_of(job, tile));
    __syncthreads();
    if (!is_last) {
      share_floor(block, job);
      __syncthreads();
    }
    is_done = list_slots(block, tile, pieces, slot_bits_of(job, tile), look) &&
              !(kHard != Hard::kExpect && looks_for_threshold(block) &&
                block.fixed.listed > 2 * block.k + kFewListed);
  }
  if (is_done)
    finish_slots(block, job.mirror, tile, is_last && block.fixed.kept == 0);
  else if constexpr (kHard != Hard::kDefer)
    search_in_steps(block, job, tile, pieces, has_sums,
                    has_sums && kHard != Hard::kExpect && looks_for_threshold(block));
  if (!is_last) clear_sums(block, tile);
  return is_done || kHard != Hard::kDefer;
}

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

/// Searches part number `part` of `parts` of the mirror's tiles. False if the query is to be
/// deferred.
template <Hard kHard, typename Team>
__device__ bool search_tiles(const Block& block, const Team& team, const SearchJob& job,
                             std::uint32_t part, std::uint32_t parts) {
  const std::uint64_t tiles = job.mirror.tile_count;
  const auto end = static_cast<std::uint32_t>(tiles * (part + 1) / parts);
  for (auto t = static_cast<std::uint32_t>(tiles * part / parts); t < end; ++t)
    if (!search_tile<kHard>(block, team, job, job.mirror.tiles[t],
                            Team::kHasOneQuery && t + 1 == end))
      return false;
  return true;
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
