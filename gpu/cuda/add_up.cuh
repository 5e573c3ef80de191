#pragma once

#include "gpu/cuda/search_block.cuh"

// Adding up the postings of a query's terms in a tile: nearly all of the work. Runs of one count
// are cut into tasks of up to 16 chunks, which groups of lanes take in equal shares.

namespace kindred::cuda {

/// Adds to eight words of shared memory, given as addresses there. (The assembler still takes them
/// through one register, so each addition waits for the one before: docs/benchmarks.md.)
inline __device__ void add_to_words(const std::uint32_t (&address)[kChunk], std::uint32_t add) {
  asm volatile(
      "red.shared.add.u32 [%0], %8; red.shared.add.u32 [%1], %8;"
      "red.shared.add.u32 [%2], %8; red.shared.add.u32 [%3], %8;"
      "red.shared.add.u32 [%4], %8; red.shared.add.u32 [%5], %8;"
      "red.shared.add.u32 [%6], %8; red.shared.add.u32 [%7], %8;" ::"r"(address[0]),
      "r"(address[1]), "r"(address[2]), "r"(address[3]), "r"(address[4]), "r"(address[5]),
      "r"(address[6]), "r"(address[7]), "r"(add)
      : "memory");
}

/// All postings of a chunk are in the same halves of their words; the first one's bit 0 says which.
/// `sums` is the accumulators' address in shared memory.
inline __device__ void add_chunk(std::uint32_t sums, const uint4& chunk, std::uint32_t add) {
  const std::uint32_t address[kChunk] = {sums + (chunk.x & 0xFFFC), sums + (chunk.x >> 16),
                                         sums + (chunk.y & 0xFFFF), sums + (chunk.y >> 16),
                                         sums + (chunk.z & 0xFFFF), sums + (chunk.z >> 16),
                                         sums + (chunk.w & 0xFFFF), sums + (chunk.w >> 16)};
  add_to_words(address, add << ((chunk.x & 1) * 16));
}

/// Where a group of kTaskLanes lanes stands in the list of runs.
struct Position {
  std::uint32_t run, chunk, end, add;
};

inline __device__ void enter_run(const Fixed& fixed, Position& at, std::uint32_t chunks_done) {
  const Run run = fixed.run[at.run];
  at.chunk = run.first_chunk + chunks_done;
  at.end = run.first_chunk + run.chunks;
  at.add = run.add;
}

/// The last run that does not begin after `task`, and the task's place in it.
inline __device__ Position find_task(const Fixed& fixed, std::uint32_t runs, std::uint32_t task) {
  std::uint32_t low = 0, high = runs;
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    (fixed.tasks_before[middle] <= task ? low : high) = middle;
  }
  Position at{low, 0, 0, 0};
  enter_run(fixed, at, (task - fixed.tasks_before[low]) * kTaskChunks);
  return at;
}

/// Two chunks, on their way to be added.
struct Load {
  uint4 first{}, second{};
  std::uint32_t size = 0;  // chunks of the task
  std::uint32_t add = 0;
};

/// Asks for the task at `at` and moves on to the next.
inline __device__ void load_task(const Fixed& fixed, Position& at, Load& load,
                                 const uint4* __restrict__ chunks) {
  const std::uint32_t lane = threadIdx.x % kTaskLanes;
  load.size = min(at.end - at.chunk, kTaskChunks);
  load.add = at.add;
  const uint4* const from = chunks + (at.chunk + lane);
  if (lane < load.size) load.first = __ldg(from);
  if (lane + kTaskLanes < load.size) load.second = __ldg(from + kTaskLanes);
  at.chunk += kTaskChunks;
  if (at.chunk >= at.end && at.run + 1 < kRuns) {
    ++at.run;
    enter_run(fixed, at, 0);
  }
}

inline __device__ void add_task(std::uint32_t sums, const Load& load) {
  const std::uint32_t lane = threadIdx.x % kTaskLanes;
  if (lane < load.size) add_chunk(sums, load.first, load.add);
  if (lane + kTaskLanes < load.size) add_chunk(sums, load.second, load.add);
}

/// Adds the tasks of the first `runs` of fixed.run: a group of lanes takes its share of consecutive
/// ones, and has the next on their way while it adds.
inline __device__ void do_tasks(const Block& block, const uint4* __restrict__ chunks,
                                std::uint32_t runs, std::uint32_t tasks) {
  constexpr std::uint32_t kGroups = kThreads / kTaskLanes;
  const std::uint32_t group = threadIdx.x / kTaskLanes;
  const std::uint32_t first = tasks * group / kGroups, last = tasks * (group + 1) / kGroups;
  std::uint32_t left = last - first;
  if (left == 0) return;
  Position at = find_task(block.fixed, runs, first);
  const auto sums = static_cast<std::uint32_t>(__cvta_generic_to_shared(block.sums));
  Load even, odd;
  load_task(block.fixed, at, even, chunks);
#pragma unroll 1
  for (;;) {
    if (left > 1) load_task(block.fixed, at, odd, chunks);
    add_task(sums, even);
    if (--left == 0) break;
    if (left > 1) load_task(block.fixed, at, even, chunks);
    add_task(sums, odd);
    if (--left == 0) break;
  }
}

/// Adds up the first `runs` of fixed.run, none of them empty.
inline __device__ void add_runs(const Block& block, const uint4* chunks, std::uint32_t runs) {
  static_assert(kRuns <= 2 * kThreads);
  Fixed& fixed = block.fixed;
  const std::uint32_t i = 2 * threadIdx.x;  // a thread counts for two runs
  const std::uint32_t first = i < runs ? fixed.run[i].tasks() : 0;
  const std::uint32_t second = i + 1 < runs ? fixed.run[i + 1].tasks() : 0;
  const std::uint32_t before = scan_exclusive(fixed, first + second);
  if (i < runs) fixed.tasks_before[i] = before;
  if (i + 1 < runs) fixed.tasks_before[i + 1] = before + first;
  const std::uint32_t tasks = fixed.total;
  __syncthreads();
  do_tasks(block, chunks, runs, tasks);
  __syncthreads();
}

/// Completes runs whose number in the tile and whose term's number in the query are given.
inline __device__ void describe_runs(const Block& block, const MirrorView& mirror,
                                     const TileView& tile, const Query& query, int shift,
                                     std::uint32_t runs) {
  for (std::uint32_t i = threadIdx.x; i < runs; i += kThreads) {
    Run& run = block.fixed.run[i];
    const std::uint32_t number = run.first_chunk;
    const double factor = query.factor[block.fixed.tasks_before[i]];
    const uint2 entry = tile.runs[number];
    run.chunks = static_cast<std::uint16_t>(tile.runs[number + 1].x - entry.x);
    run.first_chunk = entry.x;
    run.add = 0;
    if (entry.y < mirror.tf_size)  // else a dead row's
      run.add = static_cast<std::uint16_t>(
          coarse_contribution(contribution(factor, mirror.tf[entry.y]), shift));
  }
  __syncthreads();
}

/// Adds the coarse contributions of `query` to the sums of the tile's documents.
inline __device__ void add_up(const Block& block, const MirrorView& mirror, const TileView& tile,
                              const Query& query, int shift) {
  Fixed& fixed = block.fixed;
  for (std::uint32_t first = 0; first < query.terms; first += kThreads) {
    const std::uint32_t t = first + threadIdx.x;
    std::uint32_t run = 0, runs = 0;
    if (t < query.terms && query.term[t] < tile.terms && query.factor[t] > 0) {
      run = tile.term_runs[query.term[t]];
      runs = tile.term_runs[query.term[t] + 1] - run;
    }
    const std::uint32_t place = scan_exclusive(fixed, runs);
    const std::uint32_t all = fixed.total;
    for (std::uint32_t base = 0; base < all; base += kRuns) {
      __syncthreads();
      for (std::uint32_t j = 0; j < runs; ++j) {
        const std::uint32_t i = place + j - base;  // wraps for runs before the base
        if (i >= kRuns) continue;
        fixed.run[i].first_chunk = run + j;
        fixed.tasks_before[i] = t;
      }
      __syncthreads();
      const std::uint32_t n = min(all - base, kRuns);
      describe_runs(block, mirror, tile, query, shift, n);
      add_runs(block, tile.chunks, n);
    }
  }
}

}  // namespace kindred::cuda
