#pragma once

#include "gpu/cuda/device/chunk_layout.cuh"
#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/knn/posting_runs.cuh"
#include "gpu/cuda/knn/search_block.cuh"
#include "gpu/cuda/knn/team.cuh"

// Adds up the postings of a query's terms in a tile, which is most of a search's work. Warps take
// equal shares of the runs' sets. Groups of 4 lanes take equal shares of the runs' rests, in tasks
// of 4 chunks.

namespace kindred::cuda {

/// Adds to eight words of shared memory, given as addresses there.
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

/// Adds a chunk's postings. All are in the same half of their words; bit 0 of the first posting
/// says in which. `sums` is the accumulators' address in shared memory, `words` the chunk's words
/// in any order.
inline __device__ void add_chunk(std::uint32_t sums, const uint4& chunk, const uint4& words,
                                 std::uint32_t add) {
  const std::uint32_t address[kChunk] = {sums + (words.x & 0xFFFC), sums + (words.x >> 16),
                                         sums + (words.y & 0xFFFC), sums + (words.y >> 16),
                                         sums + (words.z & 0xFFFC), sums + (words.z >> 16),
                                         sums + (words.w & 0xFFFC), sums + (words.w >> 16)};
  add_to_words(address, add << ((chunk.x & 1) * 16));
}

/// The words of a chunk in the order of this lane's group, so that the groups of a warp always add
/// to different banks (chunk_layout.cuh).
inline __device__ uint4 rotated(const uint4& chunk) {
  uint4 words = chunk;
  words.x &= ~1u;  // the bit that says which half of the accumulators

  // The upper bits of the group choose by how many words to rotate, the lowest whether the halves
  // change places: eight orders for eight groups.
  const std::uint32_t group = threadIdx.x / kGroupLanes;
  if (group % 2 != 0) words = {words.y, words.z, words.w, words.x};
  if (group / 2 % 2 != 0) words = {words.z, words.w, words.x, words.y};
  const std::uint32_t bits = group / kChunkWords % 2 * 16;  // 16: the upper halves come first
  return {__funnelshift_r(words.x, words.x, bits), __funnelshift_r(words.y, words.y, bits),
          __funnelshift_r(words.z, words.z, bits), __funnelshift_r(words.w, words.w, bits)};
}

/// The last run with at most `work` before it. `shift` is 16 to count in sets, 0 to count in tasks.
inline __device__ std::uint32_t find_run(const RunList& list, std::uint32_t runs,
                                         std::uint32_t work, unsigned shift) {
  std::uint32_t low = 0, high = runs;
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    ((list.work_before[middle] >> shift & 0xFFFF) <= work ? low : high) = middle;
  }
  return low;
}

/// How far a warp has come in the sets, or a group of lanes in the rests.
struct Position {
  std::uint32_t run, chunk, end, add;
};

/// A chunk that this lane has loaded and is to add.
struct PendingChunk {
  static constexpr std::uint32_t kMixed = 1u << 16;

  uint4 chunk;
  std::uint32_t add;  // the coarse contribution, or kMixed + the number of the term in the query
};

/// Adds a chunk of a mixed run. `term` is its number in the query.
inline __device__ void add_mixed_chunk(const Block& block, const MirrorView& mirror,
                                       std::uint32_t sums, const uint4& chunk, std::uint32_t term) {
  const MixedPosting posting[kMixedPostings] = {{chunk.x}, {chunk.y}, {chunk.z}, {chunk.w}};
  const double factor = block.fixed.query.factor[term];
  const int shift = block.fixed.shift;
  double tf[kMixedPostings];  // all are loaded before one is needed
#pragma unroll
  for (std::uint32_t i = 0; i < kMixedPostings; ++i)  // only dead rows have larger counts
    tf[i] = posting[i].count() < mirror.tf_size ? __ldg(mirror.tf + posting[i].count()) : 0;
#pragma unroll
  for (std::uint32_t i = 0; i < kMixedPostings; ++i) {
    const std::uint32_t add = coarse_contribution(contribution(factor, tf[i]), shift);
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(sums + posting[i].word()),
                 "r"(add << (posting[i].half() * 16))
                 : "memory");
  }
}

/// Adds the sets of the first `runs` runs. Each warp of the team takes its share of consecutive
/// sets.
template <typename Team>
__device__ void add_sets(const Block& block, const Team& team, const uint4* __restrict__ chunks,
                         std::uint32_t runs, std::uint32_t sets) {
  const RunList& list = block.runs();
  const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32 + team.rank() * kWarps;
  const std::uint32_t warps = kWarps * team.size();
  const std::uint32_t first = sets * warp / warps, last = sets * (warp + 1) / warps;
  if (first == last) return;

  const auto sums = static_cast<std::uint32_t>(__cvta_generic_to_shared(block.sums));

  // enter() goes to a run, step() to the next chunk of a set, perhaps in the next run that has
  // sets. All lanes look for that run together.
  Position at{find_run(list, runs, first, 16), 0, 0, 0};
  const auto enter = [&](std::uint32_t sets_done) {
    const PostingRun run = list.run[at.run];
    at.chunk = run.first_chunk + sets_done * kSetChunks;
    at.end = run.first_of_rest();
    at.add = run.add;
  };
  const auto load = [&] {
    return PendingChunk{__ldg(chunks + (at.chunk + lane)), at.add};
  };

  const auto step = [&] {
    at.chunk += kSetChunks;
    if (at.chunk < at.end) return;
    for (std::uint32_t next = at.run + 1;; next += 32) {
      const bool has_sets = next + lane < runs && list.run[next + lane].sets > 0;
      const unsigned found = __ballot_sync(kWholeWarp, has_sets);
      if (found == 0) continue;
      at.run = next + __ffs(static_cast<int>(found)) - 1;
      return enter(0);
    }
  };

  // Loads take long, so two are under way while a chunk is added. The first two and the last two
  // chunks are outside of the loop.
  enter(first - (list.work_before[at.run] >> 16));
  PendingChunk now = load(), next{};
  std::uint32_t left = last - first - 1;
  if (left > 0) step(), next = load();
#pragma unroll 3
  for (; left > 1; --left) {
    step();
    const PendingChunk after = load();  // two load while one is added
    add_chunk(sums, now.chunk, now.chunk, now.add);
    now = next;
    next = after;
  }

  add_chunk(sums, now.chunk, now.chunk, now.add);
  if (left > 0) add_chunk(sums, next.chunk, next.chunk, next.add);
}

/// Adds the rests of the first `runs` runs. Each group of lanes takes its share of consecutive
/// tasks, one chunk per lane, and loads the next while it adds.
template <typename Team>
__device__ void add_rests(const Block& block, const Team& team, const MirrorView& mirror,
                          const uint4* __restrict__ chunks, std::uint32_t runs,
                          std::uint32_t tasks) {
  constexpr std::uint32_t kGroups = kThreads / kGroupLanes;
  const RunList& list = block.runs();
  const std::uint32_t lane = threadIdx.x % kGroupLanes;
  const std::uint32_t group = threadIdx.x / kGroupLanes + team.rank() * kGroups;
  const std::uint32_t groups = kGroups * team.size();
  const std::uint32_t first = tasks * group / groups, last = tasks * (group + 1) / groups;
  if (first == last) return;

  const auto sums = static_cast<std::uint32_t>(__cvta_generic_to_shared(block.sums));

  // As for sets: enter() goes to a run, step() to the next task. Here each lane of the group has a
  // chunk of its own, or none at a run's end.
  Position at{find_run(list, runs, first, 0), 0, 0, 0};
  const auto enter = [&](std::uint32_t tasks_done) {
    const PostingRun run = list.run[at.run];
    at.chunk = run.first_of_rest() + tasks_done * kGroupLanes + lane;
    at.end = Team::kHasMixedRuns ? run.end() : run.first_of_rest() + run.rest;
    at.add = Team::kHasMixedRuns && run.is_mixed() ? PendingChunk::kMixed + run.add : run.add;
  };
  const auto load = [&] {  // add 0: this lane has no chunk
    const bool has_one = at.chunk < at.end;
    return PendingChunk{has_one ? __ldg(chunks + at.chunk) : uint4{}, has_one ? at.add : 0};
  };

  const auto step = [&] {
    at.chunk += kGroupLanes;
    if (at.chunk - lane < at.end) return;
    do ++at.run;
    while (list.run[at.run].rest == 0);
    enter(0);
  };

  const auto add = [&](const PendingChunk& load) {
    if (Team::kHasMixedRuns && load.add >= PendingChunk::kMixed)
      add_mixed_chunk(block, mirror, sums, load.chunk, load.add - PendingChunk::kMixed);
    else if (load.add > 0)
      add_chunk(sums, load.chunk, rotated(load.chunk), load.add);
  };

  // One load is under way while a chunk is added: rests are short, and more would cost registers.
  enter(first - (list.work_before[at.run] & 0xFFFF));
  PendingChunk now = load(), next{};
#pragma unroll 2
  for (std::uint32_t left = last - first - 1; left > 0; --left) {
    step();
    next = load();
    add(now);
    now = next;
  }
  add(now);
}

/// Adds up the first `runs` runs.
template <typename Team>
__device__ void add_runs(const Block& block, const Team& team, const MirrorView& mirror,
                         const uint4* chunks, std::uint32_t runs) {
  static_assert(kRuns <= 2 * kThreads);

  // The work before each run, in sets and in tasks, which are added in one word: each stays below
  // 16 bits.
  RunList& list = block.runs();
  const std::uint32_t i = 2 * threadIdx.x;  // a thread takes two runs
  const std::uint32_t first = i < runs ? list.run[i].work() : 0;
  const std::uint32_t second = i + 1 < runs ? list.run[i + 1].work() : 0;
  const std::uint32_t before = scan_exclusive(block.fixed, first + second);
  if (i < runs) list.work_before[i] = before;
  if (i + 1 < runs) list.work_before[i + 1] = before + first;
  const std::uint32_t work = block.fixed.total;
  __syncthreads();

  add_sets(block, team, chunks, runs, work >> 16);
  add_rests(block, team, mirror, chunks, runs, work & 0xFFFF);
  __syncthreads();
}

/// The count by which a run's documents are judged: its own, or the largest of a mixed run. At
/// least tf_size if only dead rows are in the run.
template <typename Team>
__device__ std::uint32_t count_of(const MirrorView& mirror, RunShape run) {
  return Team::kHasMixedRuns && run.is_mixed() ? min(run.count(), mirror.tf_size - 1) : run.count();
}

/// Counts what documents lose because run number `i` of the list, number `number` of the tile, is
/// not added up; each of its documents contributes `own` at most. A document is in one run of a
/// term, so only the last of a term's dropped runs counts: they come in the order of their counts.
template <typename Team>
__device__ void drop_run(const Block& block, const MirrorView& mirror, const TileView& tile,
                         std::uint32_t i, std::uint32_t number, std::uint32_t runs,
                         std::int64_t own) {
  Fixed& fixed = block.fixed;
  const std::uint32_t* const term = block.runs().work_before;
  const bool is_known = i + 1 < runs, goes_on = is_known && term[i + 1] == term[i];

  // If the next run of the term is dropped, too, that one counts instead of this one.
  if (goes_on) {
    const std::uint32_t count = count_of<Team>(mirror, RunShape{tile.runs[number + 1].y});
    if (count < mirror.tf_size &&
        contribution(fixed.query.factor[term[i]], mirror.tf[count]) < fixed.drop_below)
      return;
  }

  // What is lost, in parts of a coarse unit and rounded up. A term that is dropped as a whole
  // contributes to no sum.
  atomicAdd(&fixed.dropped, static_cast<std::uint32_t>(own << kDropBits >> fixed.shift) + 1);
  if (is_known && !goes_on) atomicSub(&fixed.kept_terms, 1u);
}

/// Completes runs, given the number of each in the tile and of its term in the query. Runs that are
/// not to be added become empty.
template <typename Team>
__device__ void describe_runs(const Block& block, const MirrorView& mirror, const TileView& tile,
                              std::uint32_t runs) {
  const double* const factors = block.fixed.query.factor;
  const int shift = block.fixed.shift;
  for (std::uint32_t i = threadIdx.x; i < runs; i += kThreads) {
    // The list holds the number of the run and of its term until this thread replaces them.
    PostingRun& run = block.runs().run[i];
    const std::uint32_t number = run.first_chunk;
    const double factor = factors[block.runs().work_before[i]];
    const uint2 entry = tile.runs[number];
    const RunShape shape{entry.y};

    // A run that is passed over stays in the list without any chunks.
    run = {entry.x, 0, 0, 0};
    const std::uint32_t count = count_of<Team>(mirror, shape);
    if (count >= mirror.tf_size) continue;  // only dead rows have such counts

    // A run that contributes next to nothing is not added up, but what documents lose is counted.
    const std::int64_t own = contribution(factor, mirror.tf[count]);
    if (own < block.fixed.drop_below) {
      drop_run<Team>(block, mirror, tile, i, number, runs, own);
      continue;
    }

    run = {entry.x, static_cast<std::uint8_t>(shape.sets()),
           static_cast<std::uint8_t>(shape.rest()),
           static_cast<std::uint16_t>(coarse_contribution(own, shift))};
    if (Team::kHasMixedRuns && shape.is_mixed())
      run.add = static_cast<std::uint16_t>(block.runs().work_before[i]);
  }
  __syncthreads();
}

/// Adds the query's coarse contributions, or a block's share of them, to the sums of the tile's
/// documents, after plan_sums().
template <typename Team>
__device__ void add_up(const Block& block, const Team& team, const MirrorView& mirror,
                       const TileView& tile) {
  RunList& list = block.runs();
  const Query& query = block.fixed.query;

  // Each thread looks up the runs of one term.
  for (std::uint32_t first = 0; first < query.terms; first += kThreads) {
    const std::uint32_t t = first + threadIdx.x;
    std::uint32_t run = 0, runs = 0;
    if (t < query.terms && query.term[t] < tile.terms && query.factor[t] > 0) {
      run = tile.term_runs[query.term[t]];
      runs = tile.term_runs[query.term[t] + 1] - run;
    }

    // Of terms, and below that of their runs: at worst each document of each term is one.
    constexpr int kRunBits = 23;
    static_assert(kThreads * kTileSlots < 1u << kRunBits && kThreads < 1u << (32 - kRunBits));
    const std::uint32_t before =
        scan_exclusive(block.fixed, (runs > 0 ? 1u << kRunBits : 0) | runs);
    const std::uint32_t place = before % (1u << kRunBits);
    const std::uint32_t all = block.fixed.total % (1u << kRunBits);

    if (threadIdx.x == 0)
      block.fixed.kept_terms =
          (first == 0 ? 0 : block.fixed.kept_terms) + (block.fixed.total >> kRunBits);
    if (all == 0) __syncthreads();  // kept_terms holds; else the runs have barriers

    // All runs of these terms are listed in the order of terms, as many at a time as the list
    // holds.
    for (std::uint32_t base = 0; base < all; base += kRuns) {
      __syncthreads();

      const std::uint32_t listed = base > place ? base - place : 0;  // in a round before
      for (std::uint32_t j = listed; j < runs && place + j < base + kRuns; ++j) {
        list.run[place + j - base].first_chunk = run + j;
        list.work_before[place + j - base] = t;
      }
      __syncthreads();

      const std::uint32_t n = min(all - base, kRuns);
      describe_runs<Team>(block, mirror, tile, n);
      add_runs(block, team, mirror, tile.chunks, n);
    }
  }
}

}  // namespace kindred::cuda
