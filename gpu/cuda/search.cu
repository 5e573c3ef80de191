// Exact k nearest neighbors: a block a query, or a block a query and part of the mirror.
//
// For each tile: the postings of the query's terms are added up in shared memory, as 16-bit coarse
// contributions rounded up (gpu/scoring.h, docs/scoring.md), two documents a word; the sums are
// read once for a threshold that at least k documents reach and once for the documents that can
// reach it; those few are finished exactly from their forward rows, and ranked. Nothing dense
// leaves the block.
//
// Floor: one shared-memory add a posting (2.8e12 a second on an H200), 2 bytes a posting from L2.
// Shape: 16-bit sums, so that three blocks fit a multiprocessor and one's latencies (term and run
// look-ups, barriers, forward rows) hide behind another's adds; runs of one count, so that the
// contribution of a posting is known before it is read; runs cut into equal tasks of 8 loads, so
// that frequent and rare terms keep all lanes busy alike; documents sorted by length inside a
// tile, so that one bound serves 64 of them and a scan costs four instructions for 8 documents.
#include "gpu/cuda/search.cuh"

#include <algorithm>
#include <bit>

#include "config/error.h"
#include "gpu/scoring.h"

namespace kindred::cuda {
namespace {

constexpr unsigned kThreads = 384;
constexpr unsigned kWarps = kThreads / 32;
constexpr unsigned kWhole = 0xFFFFFFFFu;
constexpr unsigned kBlocksWanted = 3;  // on a multiprocessor

constexpr std::uint32_t kTaskLanes = 8;
constexpr std::uint32_t kTaskChunks = 2 * kTaskLanes;  // at most, in a task
constexpr std::uint32_t kRuns = 512;                   // described at a time
constexpr std::uint32_t kCandidates = 512;             // kept before they are finished
constexpr std::uint32_t kTermsInside = 256;            // of a query, kept in shared memory
constexpr std::uint32_t kFilterTerms = 32768;  // more terms than this leave 16-bit sums no room
constexpr std::uint32_t kBins = 128;           // of a first round: by a float's exponent
constexpr std::uint32_t kBinShift = 20;        // and 3 bits of its fraction
constexpr std::uint32_t kFineBits = 8;         // of the fraction, for the second round
constexpr std::uint32_t kFineBins = 2 << kFineBits;   // half of them are used: bin 0 is empty
constexpr std::uint32_t kFirstBin = (127 - 15) << 3;  // 2^-15 and below: bin 0
constexpr std::uint32_t kHashSlots = 1024;            // for kTermsInside terms
constexpr std::uint32_t kCountsInside = 32;           // of the tf table, kept in shared memory
constexpr unsigned kAhead = 3;           // entries of a row that a lane asks for at once
constexpr unsigned kTogether = 8;        // candidates that a warp works on together
constexpr unsigned kShared = 160;        // of their entries that the query may have, at a time
constexpr std::size_t kReserved = 1024;  // of shared memory a block, by the runtime

using Key = unsigned long long;  // similarity descending, then row ascending; kNoKey is last
constexpr Key kNoKey = ~0ull;

__device__ Key make_key(float similarity, std::uint32_t row) {
  return similarity > 0 ? Key{~__float_as_uint(similarity)} << 32 | row : kNoKey;
}
__device__ float similarity_of(Key key) {
  return __uint_as_float(~static_cast<std::uint32_t>(key >> 32));
}
__device__ std::uint32_t row_of(Key key) { return static_cast<std::uint32_t>(key); }

__device__ std::uint32_t hash_slot(std::uint32_t term) { return term * 0x9E3779B1u >> 22; }
constexpr std::uint32_t kFreeSlot = 0xFFFF;

/// A bin of a histogram and how many values are in those above it.
struct Bin {
  std::uint32_t number;
  std::uint32_t above;
};

/// Postings of one count, on their way to be added. A tile's runs have fewer than 2^16 chunks.
struct Run {
  std::uint32_t first_chunk;
  std::uint16_t chunks;
  std::uint16_t add;  // the coarse contribution

  __device__ std::uint32_t tasks() const { return (chunks + kTaskChunks - 1) / kTaskChunks; }
};

/// The block's memory: what has a fixed size.
struct Fixed {
  std::uint32_t warp_sum[kWarps];
  std::uint32_t total;
  std::uint32_t pieces;     // listed by list_pieces(); 0 between tiles
  std::uint32_t found;      // candidates pushed, also those that did not fit
  std::uint32_t threshold;  // bits of a similarity that k rows are known to reach
  Key bound;
  Bin bin;
  std::uint32_t is_last;
  unsigned hash[kHashSlots / 2];  // two 16-bit places in `term` a word, or kFreeSlot
  std::uint32_t term[kTermsInside];
  double factor[kTermsInside];
  double tf[kCountsInside];
  std::uint32_t shared[kWarps][kShared];  // candidate << 24 | entry, of those the query may have
  std::uint32_t piece[kWarps][3 * kTogether];  // of the sums of a warp's candidates
  Run run[kRuns];
  std::uint32_t tasks_before[kRuns];
};

/// And what depends on the job.
struct Block {
  Fixed& fixed;
  char* sums;  // [largest words + padding] accumulators, 0 between tiles
  Key*
      keys;  // [k + 2 * kCandidates at least] the best so far, then the candidates and their places
  std::uint32_t k;

  __device__ Key* candidates() const { return keys + k; }
  __device__ std::uint16_t* pieces() const {
    return reinterpret_cast<std::uint16_t*>(candidates() + kCandidates);
  }
  __device__ RowPlace* places() const {
    return reinterpret_cast<RowPlace*>(candidates() + kCandidates);
  }
  __device__ std::uint32_t* bins() const { return reinterpret_cast<std::uint32_t*>(keys + k); }
};

/// A query as its block sees it.
struct Query {
  const std::uint32_t* term;
  const double* factor;
  std::uint32_t terms;
  Key after;       // only keys behind it answer; 0: all
  bool is_hashed;  // then `term` and `factor` are in shared memory
};

__device__ float threshold_of(const Block& block) { return __uint_as_float(block.fixed.threshold); }

/// The sum of `value` over the threads before this one; the sum of all in fixed.total.
__device__ std::uint32_t scan_exclusive(Fixed& fixed, std::uint32_t value) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  std::uint32_t sum = value;
  for (unsigned stride = 1; stride < 32; stride *= 2) {
    const std::uint32_t before = __shfl_up_sync(kWhole, sum, stride);
    if (lane >= stride) sum += before;
  }
  if (lane == 31) fixed.warp_sum[warp] = sum;
  __syncthreads();
  std::uint32_t warps_before = lane < kWarps ? fixed.warp_sum[lane] : 0;
  const std::uint32_t own = __reduce_add_sync(kWhole, lane < warp ? warps_before : 0);
  const std::uint32_t all = __reduce_add_sync(kWhole, warps_before);
  if (threadIdx.x == 0) fixed.total = all;
  __syncthreads();
  return own + sum - value;
}

/// Finds or makes the place of term number `i` in the hash.
__device__ void insert_term(Fixed& fixed, std::uint32_t i) {
  for (std::uint32_t slot = hash_slot(fixed.term[i]);; slot = (slot + 1) % kHashSlots) {
    auto* const half = reinterpret_cast<unsigned short*>(fixed.hash) + slot;
    if (atomicCAS(half, static_cast<unsigned short>(kFreeSlot), static_cast<unsigned short>(i)) ==
        kFreeSlot)
      return;
  }
}

__device__ Query load_query(const Block& block, const QueryBatch& queries, std::uint32_t q,
                            Key after) {
  Fixed& fixed = block.fixed;
  const std::uint64_t begin = queries.row_begin[q] - queries.base;
  const auto terms = static_cast<std::uint32_t>(queries.row_begin[q + 1] - queries.row_begin[q]);
  for (std::uint32_t i = threadIdx.x; i < kHashSlots / 2; i += kThreads)
    fixed.hash[i] = kFreeSlot << 16 | kFreeSlot;
  if (threadIdx.x == 0) fixed.pieces = fixed.found = fixed.threshold = 0;
  const bool fits = terms <= kTermsInside;
  if (fits && threadIdx.x < terms) {
    fixed.term[threadIdx.x] = queries.term[begin + threadIdx.x];
    fixed.factor[threadIdx.x] = queries.factor[begin + threadIdx.x];
  }
  __syncthreads();
  if (!fits) return {queries.term + begin, queries.factor + begin, terms, after, false};
  if (threadIdx.x < terms) insert_term(fixed, threadIdx.x);
  __syncthreads();
  return {fixed.term, fixed.factor, terms, after, true};
}

/// The factor of `term`, 0 if the query lacks it.
__device__ double find_factor(const Fixed& fixed, const Query& query, std::uint32_t term) {
  if (query.is_hashed) {
    const auto* const hash = reinterpret_cast<const unsigned short*>(fixed.hash);
    for (std::uint32_t slot = hash_slot(term);; slot = (slot + 1) % kHashSlots) {
      const std::uint32_t i = hash[slot];
      if (i == kFreeSlot) return 0;
      if (fixed.term[i] == term) return fixed.factor[i];
    }
  }
  std::uint32_t low = 0, high = query.terms;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (query.term[middle] < term)
      low = middle + 1;
    else
      high = middle;
  }
  return low < query.terms && query.term[low] == term ? query.factor[low] : 0;
}

/// True if the query may have `term`: few others pass. Terms of no query do where it is not hashed.
__device__ bool may_have(const Fixed& fixed, const Query& query, std::uint32_t term) {
  const std::uint32_t i = reinterpret_cast<const unsigned short*>(fixed.hash)[hash_slot(term)];
  return (i != kFreeSlot) | !query.is_hashed;
}

/// The work of one warp: the exact sums of up to kTogether candidates. Their entries that the query
/// may have are listed first and worked on together: they are few.
class WarpSums {
 public:
  __device__ WarpSums(const Block& block, const MirrorView& mirror, const Query& query)
      : block_(block),
        mirror_(mirror),
        query_(query),
        lane_(threadIdx.x % 32),
        shared_(block.fixed.shared[threadIdx.x / 32]),
        piece_(block.fixed.piece[threadIdx.x / 32]) {}

  /// Candidates first, first + kWarps, ..: writes their sums to their places.
  __device__ void add(std::uint32_t first, std::uint32_t end) {
    first_ = first;
    listed_ = 0;
    sum_ = 0;
    if (lane_ < 3 * kTogether) piece_[lane_] = 0;
    const std::uint32_t n = min((end - first + kWarps - 1) / kWarps, kTogether);
    Row row = find(0);
    Terms terms = load(row, 0);
    for (std::uint32_t number = 0; number < n; ++number) {
      const Row own = row;
      const Terms now = terms;
      if (number + 1 < n) row = find(number + 1), terms = load(row, 0);  // on their way meanwhile
      list(own, number, now, 0);
      for (std::uint32_t begin = 32 * kAhead; begin < own.size; begin += 32 * kAhead)
        list(own, number, load(own, begin), begin);
    }
    work();
    if (lane_ < n) block_.places()[first + lane_ * kWarps].packed = sum_;
    __syncwarp();
  }

 private:
  struct Row {
    const std::uint32_t* column;
    std::uint32_t size;
  };
  struct Terms {
    std::uint32_t term[kAhead];
  };

  __device__ Row find(std::uint32_t number) const {
    const std::uint32_t i = first_ + number * kWarps;
    const RowPlace place = block_.places()[i];
    return {part_of(i).column + place.begin(), place.size()};
  }

  /// Entries begin .. of a row; past its end, the last one again.
  __device__ Terms load(const Row& row, std::uint32_t begin) const {
    Terms terms;
#pragma unroll
    for (unsigned j = 0; j < kAhead; ++j)
      terms.term[j] =
          row.size == 0 ? 0 : __ldg(row.column + min(begin + 32 * j + lane_, row.size - 1));
    return terms;
  }

  __device__ void list(const Row& row, std::uint32_t number, const Terms& terms,
                       std::uint32_t begin) {
#pragma unroll
    for (unsigned j = 0; j < kAhead; ++j) {
      const std::uint32_t entry = begin + 32 * j + lane_;
      const bool is_in = may_have(block_.fixed, query_, terms.term[j]) & (entry < row.size);
      const unsigned all = __ballot_sync(kWhole, is_in);
      if (is_in) shared_[listed_ + __popc(all & ((1u << lane_) - 1))] = number << 24 | entry;
      listed_ += __popc(all);
    }
    if (listed_ > kShared - 32 * kAhead) work();
  }

  /// Adds the contributions of the listed entries, a lane each, and empties the list. Sums are
  /// kept in three pieces of 21 bits, since shared memory adds 32 bits in one instruction.
  __device__ void work() {
    constexpr unsigned kBits = 21, kMask = (1u << kBits) - 1;
    __syncwarp();
    for (std::uint32_t i = lane_; i < listed_; i += 32) {
      const std::uint32_t listed = shared_[i];
      const auto value = static_cast<std::uint64_t>(score(listed));
      std::uint32_t* const piece = piece_ + (listed >> 24) * 3;
      atomicAdd(piece, static_cast<std::uint32_t>(value) & kMask);
      atomicAdd(piece + 1, static_cast<std::uint32_t>(value >> kBits) & kMask);
      atomicAdd(piece + 2, static_cast<std::uint32_t>(value >> 2 * kBits));
    }
    listed_ = 0;
    __syncwarp();
    if (lane_ >= kTogether) return;
    std::uint32_t* const piece = piece_ + lane_ * 3;
    sum_ += piece[0] + (std::uint64_t{piece[1]} << kBits) + (std::uint64_t{piece[2]} << 2 * kBits);
    piece[0] = piece[1] = piece[2] = 0;
  }

  __device__ std::int64_t score(std::uint32_t listed) const {
    const std::uint32_t i = first_ + (listed >> 24) * kWarps;
    const PartView part = part_of(i);
    const std::uint64_t at = block_.places()[i].begin() + (listed & 0xFFFFFF);
    const std::uint32_t count = __ldg(part.count + at);
    const double factor = find_factor(block_.fixed, query_, __ldg(part.column + at));
    if (count >= mirror_.tf_size) return 0;  // a dead row's
    return contribution(factor, count < kCountsInside ? block_.fixed.tf[count] : mirror_.tf[count]);
  }

  __device__ PartView part_of(std::uint32_t i) const {
    return mirror_.part_of(static_cast<std::uint32_t>(block_.candidates()[i]));
  }

  const Block& block_;
  const MirrorView& mirror_;
  const Query& query_;
  const unsigned lane_;
  std::uint32_t* const shared_;
  std::uint32_t* const piece_;
  std::uint64_t sum_ = 0;  // of candidate number `lane`
  std::uint32_t first_ = 0, listed_ = 0;
};

/// Looks up candidates that are slots of a tile: a thread each, so that their latencies overlap.
__device__ void find_rows(const Block& block, const TileView& tile, std::uint32_t n) {
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) {
    const auto slot = static_cast<std::uint32_t>(block.candidates()[i]);
    block.candidates()[i] = tile.row_of[slot];
    block.places()[i] = tile.place_of[slot];
  }
  __syncthreads();
}

/// Turns candidates into keys: a warp some for their sums, a thread each for the rest. They are
/// slots of `tile`, or, where it is null, rows and their places.
__device__ void finish_candidates(const Block& block, const MirrorView& mirror,
                                  const TileView* tile, const Query& query) {
  Key* candidate = block.candidates();
  const std::uint32_t n = block.fixed.found;
  if (tile != nullptr) find_rows(block, *tile, n);
  WarpSums sums(block, mirror, query);
  for (std::uint32_t i = threadIdx.x / 32; i < n; i += kWarps * kTogether) sums.add(i, n);
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) {
    const auto row = static_cast<std::uint32_t>(candidate[i]);
    const auto sum = static_cast<std::int64_t>(block.places()[i].packed);
    const Key key = make_key(similarity(sum, mirror.reciprocal[row]), row);
    candidate[i] = key > query.after ? key : kNoKey;
  }
}

/// Sorts n keys in place; room for the next power of two is used.
__device__ void sort_keys(Key* keys, std::uint32_t n) {
  std::uint32_t size = 2;
  while (size < n) size *= 2;
  for (std::uint32_t i = n + threadIdx.x; i < size; i += kThreads) keys[i] = kNoKey;
  for (std::uint32_t width = 2; width <= size; width *= 2)
    for (std::uint32_t stride = width / 2; stride > 0; stride /= 2) {
      __syncthreads();
      for (std::uint32_t i = threadIdx.x; i < size / 2; i += kThreads) {
        const std::uint32_t a = i / stride * 2 * stride + i % stride, b = a + stride;
        const bool ascends = (a & width) == 0;
        const Key low = min(keys[a], keys[b]), high = max(keys[a], keys[b]);
        keys[a] = ascends ? low : high;
        keys[b] = ascends ? high : low;
      }
    }
  __syncthreads();
}

/// Ranks n <= kThreads keys by counting those before each; equal ones (kNoKey) share a rank.
__device__ void rank_keys(Key* keys, std::uint32_t n, std::uint32_t k) {
  const Key own = threadIdx.x < n ? keys[threadIdx.x] : kNoKey;
  std::uint32_t rank = 0;
  if (threadIdx.x < n)
    for (std::uint32_t i = 0; i < n; ++i) rank += keys[i] < own ? 1 : 0;
  __syncthreads();
  if (own != kNoKey && rank < k) keys[rank] = own;
  __syncthreads();
}

/// Takes the finished candidates among the best k, empties their list and raises the threshold.
__device__ void merge_candidates(const Block& block) {
  const std::uint32_t n = block.k + block.fixed.found;
  if (n <= kThreads)
    rank_keys(block.keys, n, block.k);
  else
    sort_keys(block.keys, n);
  if (threadIdx.x == 0) {
    block.fixed.found = 0;
    const Key last = block.keys[block.k - 1];
    if (last != kNoKey)
      block.fixed.threshold = max(block.fixed.threshold, __float_as_uint(similarity_of(last)));
  }
  __syncthreads();
}

/// Finishes and merges the candidates if another step of the whole block might not find room.
__device__ void make_room(const Block& block, const MirrorView& mirror, const TileView* tile,
                          const Query& query) {
  __syncthreads();
  const std::uint32_t found = block.fixed.found;
  __syncthreads();  // all have read it before anyone pushes again
  if (found <= kCandidates - kThreads) return;
  finish_candidates(block, mirror, tile, query);
  __syncthreads();
  merge_candidates(block);
}

__device__ void finish_and_merge(const Block& block, const MirrorView& mirror, const TileView* tile,
                                 const Query& query) {
  __syncthreads();
  if (block.fixed.found == 0) return;
  finish_candidates(block, mirror, tile, query);
  __syncthreads();
  merge_candidates(block);
}

__device__ void push_key(const Block& block, Key key) {
  const std::uint32_t i = atomicAdd(&block.fixed.found, 1u);
  if (i < kCandidates) block.candidates()[i] = key;
}

__device__ void push_row(const Block& block, const MirrorView& mirror, std::uint32_t row) {
  const std::uint32_t i = atomicAdd(&block.fixed.found, 1u);
  if (i >= kCandidates) return;
  const PartView part = mirror.part_of(row);
  block.candidates()[i] = row;
  block.places()[i] = RowPlace::make(part.row_begin, row - part.first_row);
}

// --- adding up ---

/// Adds to eight words. As one statement, so that the addresses are in eight registers: in fewer,
/// each addition would wait until the one before has left the queue of the memory.
__device__ void add_to_words(const std::uint32_t (&address)[kChunk], std::uint32_t add) {
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
__device__ void add_chunk(std::uint32_t sums, const uint4& chunk, std::uint32_t add) {
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

__device__ void enter_run(const Fixed& fixed, Position& at, std::uint32_t chunks_done) {
  const Run run = fixed.run[at.run];
  at.chunk = run.first_chunk + chunks_done;
  at.end = run.first_chunk + run.chunks;
  at.add = run.add;
}

/// The last run that does not begin after `task`, and the task's place in it.
__device__ Position find_task(const Fixed& fixed, std::uint32_t runs, std::uint32_t task) {
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
__device__ void load_task(const Fixed& fixed, Position& at, Load& load,
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

__device__ void add_task(std::uint32_t sums, const Load& load) {
  const std::uint32_t lane = threadIdx.x % kTaskLanes;
  if (lane < load.size) add_chunk(sums, load.first, load.add);
  if (lane + kTaskLanes < load.size) add_chunk(sums, load.second, load.add);
}

/// Adds the tasks of the runs in fixed.run_*: a group of lanes takes its share of consecutive ones,
/// and has the next on their way while it adds.
__device__ void do_tasks(const Block& block, const uint4* __restrict__ chunks, std::uint32_t runs,
                         std::uint32_t tasks) {
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
__device__ void add_runs(const Block& block, const uint4* chunks, std::uint32_t runs) {
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
__device__ void describe_runs(const Block& block, const MirrorView& mirror, const TileView& tile,
                              const Query& query, int shift, std::uint32_t runs) {
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
__device__ void add_up(const Block& block, const MirrorView& mirror, const TileView& tile,
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

// --- choosing ---

/// Eight slots' sums, those that may not answer set to 0.
struct Sums {
  std::uint32_t word[4];
};

__device__ Sums read_sums(const Block& block, const std::uint32_t* slot_bits, std::uint32_t i) {
  const uint4 v = reinterpret_cast<const uint4*>(block.sums)[i];
  Sums sums{{v.x, v.y, v.z, v.w}};
  if (slot_bits == nullptr) return sums;
  const std::uint32_t bits = slot_bits[i / 4] >> i % 4 * 8;
  for (unsigned j = 0; j < 4; ++j) {
    if ((bits >> 2 * j & 1) == 0) sums.word[j] &= 0xFFFF0000u;
    if ((bits >> 2 * j & 2) == 0) sums.word[j] &= 0x0000FFFFu;
  }
  return sums;
}

/// The largest sum of the even slots and that of the odd ones.
__device__ std::uint32_t largest_halves(const Sums& sums) {
  return __vmaxu2(__vmaxu2(sums.word[0], sums.word[1]), __vmaxu2(sums.word[2], sums.word[3]));
}

/// The bin of the k-th largest of the values counted in bins[0 .. kCount), by one warp; number 0 if
/// fewer than k were counted. Bin 0 is empty.
template <std::uint32_t kCount>
__device__ Bin find_bin(const std::uint32_t* bins, std::uint32_t k) {
  constexpr std::uint32_t kEach = kCount / 32;  // bins of a lane, lane 31 the uppermost
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t count[kEach], own = 0;
#pragma unroll
  for (std::uint32_t j = 0; j < kEach; ++j) own += count[j] = bins[lane * kEach + j];
  std::uint32_t above = own;  // of this lane and those after it
  for (unsigned stride = 1; stride < 32; stride *= 2) {
    const std::uint32_t more = __shfl_down_sync(kWhole, above, stride);
    if (lane + stride < 32) above += more;
  }
  above -= own;
  Bin found{0, 0};
#pragma unroll
  for (std::uint32_t j = kEach; j-- > 0; above += count[j])
    if (above < k && above + count[j] >= k) found = {lane * kEach + j, above};
  return {__reduce_max_sync(kWhole, found.number), __reduce_max_sync(kWhole, found.above)};
}

/// Clears bins; all threads of the block.
__device__ void clear_bins(std::uint32_t* bins, std::uint32_t n) {
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) bins[i] = 0;
  __syncthreads();
}

/// The bits of a lower bound, shifted so that bin 0 is what no threshold is worth.
__device__ std::uint32_t bin_of(std::uint32_t bits) {
  const std::uint32_t bin = bits >> kBinShift;
  return bin <= kFirstBin ? 0 : min(bin - kFirstBin, kBins - 1);
}

/// Raises the threshold to the k-th largest of the values that for_each(visit) visits, as bits of
/// floats, in all threads together: to 2^-11 of it, in two rounds of a histogram.
template <typename ForEach>
__device__ void raise_to_kth(const Block& block, ForEach&& for_each) {
  std::uint32_t* const bins = block.bins();
  std::uint32_t* const fine_bins = bins + kBins;
  clear_bins(bins, kBins + kFineBins);
  for_each([&](std::uint32_t bits) {
    if (bin_of(bits) > 0) atomicAdd(&bins[bin_of(bits)], 1u);
  });
  __syncthreads();
  if (threadIdx.x < 32) {
    const Bin bin = find_bin<kBins>(bins, block.k);
    if (threadIdx.x == 0) block.fixed.bin = bin;
  }
  __syncthreads();
  const Bin coarse = block.fixed.bin;
  if (coarse.number == 0) return;
  for_each([&](std::uint32_t bits) {
    const std::uint32_t fine = bits >> (kBinShift - kFineBits) & ((1u << kFineBits) - 1);
    if (bin_of(bits) == coarse.number) atomicAdd(&fine_bins[1 + fine], 1u);
  });
  __syncthreads();
  if (threadIdx.x >= 32) return;
  const Bin fine = find_bin<kFineBins>(fine_bins, block.k - coarse.above);
  const std::uint32_t bits =
      (coarse.number + kFirstBin) << kBinShift | (fine.number - 1) << (kBinShift - kFineBits);
  if (threadIdx.x == 0) block.fixed.threshold = max(block.fixed.threshold, bits);
}

/// Raises the threshold to a similarity that at least k documents of the tile reach, found among
/// the best lower bounds of pieces of the tile: all of a thread's slots, or 8 slots where k is
/// large.
__device__ void raise_threshold(const Block& block, const TileView& tile,
                                const std::uint32_t* slot_bits, std::uint32_t terms, int shift) {
  const float unit = ldexpf(1 - 0x1p-20f, shift - 62);
  const auto lower_bound = [&](std::uint32_t i) {
    const std::uint32_t halves = largest_halves(read_sums(block, slot_bits, i));
    const std::uint32_t sum = max(max(halves & 0xFFFF, halves >> 16), terms) - terms;
    return __fmul_rd(static_cast<float>(sum), __ldg(&tile.bounds[i / 8].y)) * unit;
  };
  if (block.k > kThreads / 8)
    return raise_to_kth(block, [&](auto&& visit) {
      for (std::uint32_t i = threadIdx.x; i < tile.words() / 4; i += kThreads)
        visit(__float_as_uint(lower_bound(i)));
    });
  float best = 0;
#pragma unroll 4
  for (std::uint32_t i = threadIdx.x; i < tile.words() / 4; i += kThreads)
    best = fmaxf(best, lower_bound(i));
  raise_to_kth(block, [&](auto&& visit) { visit(__float_as_uint(best)); });
}

/// The threshold in units of sum * r_d * 2^62; a part in 2^20 covers all roundings
/// (docs/scoring.md).
__device__ float filter_threshold(const Block& block, int shift) {
  return threshold_of(block) * ldexpf(1 - 0x1p-20f, 62 - shift);
}

/// No slot of a group reaches the threshold with a sum of at most this.
__device__ std::uint32_t sum_limit(float least, float bound) {
  return min(__float2uint_rd(__fmul_rd(least, bound)), 0xFFFFu);
}

/// Lists the pieces of 8 slots in which one may reach the threshold; true if they fit the list.
__device__ bool list_pieces(const Block& block, const TileView& tile,
                            const std::uint32_t* slot_bits, float least) {
  std::uint16_t* const pieces = block.pieces();
#pragma unroll 4
  for (std::uint32_t i = threadIdx.x; i < tile.words() / 4; i += kThreads) {
    const std::uint32_t limits = sum_limit(least, __ldg(&tile.bounds[i / 8].x)) * 0x10001;
    if (__vmaxu2(largest_halves(read_sums(block, slot_bits, i)), limits) == limits) continue;
    const std::uint32_t place = atomicAdd(&block.fixed.pieces, 1u);
    if (place < kCandidates) pieces[place] = static_cast<std::uint16_t>(i);
  }
  __syncthreads();
  return block.fixed.pieces <= kCandidates;
}

/// Makes candidates of the slots that may reach the threshold; true if there was room for all.
__device__ bool collect_candidates(const Block& block, const TileView& tile,
                                   const std::uint32_t* slot_bits, int shift) {
  const float least = filter_threshold(block, shift);
  const bool fits = list_pieces(block, tile, slot_bits, least);
  const std::uint32_t pieces = block.fixed.pieces;
  for (std::uint32_t n = threadIdx.x; fits && n < pieces * 8; n += kThreads) {
    const std::uint32_t i = block.pieces()[n / 8];
    const Sums sums = read_sums(block, slot_bits, i);
    const std::uint32_t word = sums.word[n % 8 / 2];
    const std::uint32_t sum = n % 2 == 0 ? word & 0xFFFF : word >> 16;
    if (sum > sum_limit(least, __ldg(&tile.bounds[i / 8].x))) push_key(block, i * 8 + n % 8);
  }
  __syncthreads();
  if (threadIdx.x == 0) block.fixed.pieces = 0;
  return fits && block.fixed.found <= kCandidates;
}

/// As above where the candidates are too many at once: a slot a thread, finished as they fill up.
__device__ void collect_in_steps(const Block& block, const MirrorView& mirror, const TileView& tile,
                                 const Query& query, const std::uint32_t* slot_bits, int shift) {
  __syncthreads();
  if (threadIdx.x == 0) block.fixed.found = 0;
  __syncthreads();
  for (std::uint32_t first = 0; first < tile.slots; first += kThreads) {
    const std::uint32_t slot = first + threadIdx.x;
    const float least = filter_threshold(block, shift);
    if (slot < tile.slots) {
      const Sums sums = read_sums(block, slot_bits, slot / 8);
      const std::uint32_t word = sums.word[slot % 8 / 2];
      const std::uint32_t sum = slot % 2 == 0 ? word & 0xFFFF : word >> 16;
      if (sum > sum_limit(least, tile.bounds[slot / kGroupSlots].x)) push_key(block, slot);
    }
    make_room(block, mirror, &tile, query);
  }
}

__device__ void clear_sums(const Block& block, const TileView& tile) {
  for (std::uint32_t i = threadIdx.x; i < (tile.words() + kPaddingWords) / 4; i += kThreads)
    reinterpret_cast<uint4*>(block.sums)[i] = {};
}

/// The shift of coarse contributions that keeps every sum of the tile within 16 bits; -1: none
/// does. No sum exceeds its document's length but by roundings, half a unit a term among them.
__device__ int tile_shift(const TileView& tile, std::uint32_t terms) {
  if (terms > kFilterTerms) return -1;
  const auto largest = static_cast<long long>(tile.longest * (1 + 0x1p-20)) + terms + (1 << 22);
  int shift = max(0, 64 - __clzll(largest) - 16);
  while ((largest >> shift) + 1 + terms > 65535) ++shift;
  return shift;
}

__device__ void score_each_slot(const Block& block, const MirrorView& mirror, const TileView& tile,
                                const Query& query, const std::uint32_t* slot_bits) {
  for (std::uint32_t first = 0; first < tile.slots; first += kThreads) {
    const std::uint32_t slot = first + threadIdx.x;
    if (slot < tile.slots && (slot_bits == nullptr || (slot_bits[slot / 32] >> slot % 32 & 1) != 0))
      push_key(block, slot);
    make_room(block, mirror, &tile, query);
  }
  finish_and_merge(block, mirror, &tile, query);
}

/// Shares what blocks of the same query know of the threshold.
__device__ void share_floor(const Block& block, unsigned* floor) {
  if (floor == nullptr || threadIdx.x != 0) return;
  block.fixed.threshold = max(block.fixed.threshold, atomicMax(floor, block.fixed.threshold));
}

__device__ void search_tile(const Block& block, const SearchJob& job, const TileView& tile,
                            const Query& query, unsigned* floor) {
  const std::uint32_t* slot_bits =
      job.slot_bits == nullptr ? nullptr : job.slot_bits + tile.first_slot / 32;
  const int shift = tile_shift(tile, query.terms);
  if (shift < 0) return score_each_slot(block, job.mirror, tile, query, slot_bits);
  add_up(block, job.mirror, tile, query, shift);
  if (block.keys[block.k - 1] == kNoKey && query.after == 0)
    raise_threshold(block, tile, slot_bits, query.terms, shift);
  __syncthreads();
  share_floor(block, floor);
  __syncthreads();
  if (!collect_candidates(block, tile, slot_bits, shift))
    collect_in_steps(block, job.mirror, tile, query, slot_bits, shift);
  __syncthreads();
  clear_sums(block, tile);
  finish_and_merge(block, job.mirror, &tile, query);
}

__device__ void score_rows(const Block& block, const SearchJob& job, const Query& query,
                           std::uint32_t part) {
  const auto begin = static_cast<std::uint32_t>(std::uint64_t{job.row_count} * part / job.parts);
  const auto end =
      static_cast<std::uint32_t>(std::uint64_t{job.row_count} * (part + 1) / job.parts);
  for (std::uint32_t first = begin; first < end; first += kThreads) {
    if (first + threadIdx.x < end) push_row(block, job.mirror, job.rows[first + threadIdx.x]);
    make_room(block, job.mirror, nullptr, query);
  }
  finish_and_merge(block, job.mirror, nullptr, query);
}

// --- putting parts together ---

/// Writes this part's keys. True in the block that finishes the query, which has then merged them.
__device__ bool merge_parts(const Block& block, const SearchJob& job, std::uint32_t q,
                            std::uint32_t part) {
  Fixed& fixed = block.fixed;
  unsigned long long* partial = job.partial + std::uint64_t{q} * job.parts * job.k;
  for (std::uint32_t i = threadIdx.x; i < job.k; i += kThreads)
    partial[part * job.k + i] = block.keys[i];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    fixed.is_last = atomicAdd(&job.done[q], 1u) == job.parts - 1 ? 1 : 0;
    fixed.bound = kNoKey;
    if (fixed.is_last != 0) job.done[q] = job.floor[q] = 0;
  }
  __syncthreads();
  if (fixed.is_last == 0) return false;
  __threadfence();
  for (std::uint32_t i = threadIdx.x; i < job.parts; i += kThreads)  // k rows are as good as this
    atomicMin(&fixed.bound, __ldcg(partial + i * job.k + job.k - 1));
  for (std::uint32_t i = threadIdx.x; i < job.k; i += kThreads) block.keys[i] = kNoKey;
  __syncthreads();
  for (std::uint32_t first = 0; first < job.parts * job.k; first += kThreads) {
    const std::uint32_t i = first + threadIdx.x;
    const Key key = i < job.parts * job.k ? __ldcg(partial + i) : kNoKey;
    if (key != kNoKey && key <= fixed.bound) push_key(block, key);
    __syncthreads();
    const std::uint32_t found = fixed.found;
    __syncthreads();  // all have read it before anyone pushes again
    if (found > kCandidates - kThreads) merge_candidates(block);
  }
  merge_candidates(block);
  return true;
}

__device__ void write_neighbors(const Block& block, const SearchJob& job, std::uint32_t q) {
  if (threadIdx.x == 0 && job.after != nullptr) job.after[q] = block.keys[job.k - 1];
  for (std::uint32_t i = threadIdx.x; i < job.k; i += kThreads) {
    const Key key = block.keys[i];
    const bool is_one = key != kNoKey;
    reinterpret_cast<uint2*>(job.neighbors)[std::uint64_t{q} * job.k + i] =
        is_one ? uint2{row_of(key), __float_as_uint(similarity_of(key))}
               : uint2{Neighbor::kNoRow, 0};
  }
}

// --- voting ---

/// Which of the keys vote: those before `end` whose row is not `exclude`.
struct Voters {
  std::uint32_t end;
  std::uint32_t exclude;

  __device__ bool has(const Block& block, std::uint32_t rank) const {
    return rank < end && row_of(block.keys[rank]) != exclude;
  }
};

/// One more neighbor than may vote was asked for where a row is excluded.
__device__ Voters choose_voters(const Block& block, const SearchJob& job, std::uint32_t q) {
  Voters voters{0, job.exclude == nullptr ? Neighbor::kNoRow : job.exclude[q]};
  bool has_excluded = false;
  for (std::uint32_t first = 0; first < job.k; first += kThreads) {
    const Key key = first + threadIdx.x < job.k ? block.keys[first + threadIdx.x] : kNoKey;
    voters.end += static_cast<std::uint32_t>(__syncthreads_count(key != kNoKey));
    if (__syncthreads_or(key != kNoKey && row_of(key) == voters.exclude) != 0) has_excluded = true;
  }
  if (job.exclude != nullptr && !has_excluded) voters.end = min(voters.end, job.k - 1);
  return voters;
}

/// A neighbor's label and similarity.
struct Pair {
  std::uint32_t label;
  float similarity;
};

/// The block's memory for a vote, after the keys.
struct Ballot {
  Pair pair[kMaxVotes];               // in rank order
  LabelShare share[kMaxVotedLabels];  // of distinct labels, in any order
};

/// Lists the labels of the voters in rank order; returns how many there are.
__device__ std::uint32_t list_votes(const Block& block, const MirrorView& mirror,
                                    const Voters& voters, Ballot& ballot) {
  std::uint32_t listed = 0;
  for (std::uint32_t first = 0; first < voters.end; first += kThreads) {
    const std::uint32_t rank = first + threadIdx.x;
    std::uint32_t begin = 0, end = 0;
    const std::uint32_t* label = nullptr;
    if (voters.has(block, rank)) {
      const PartView part = mirror.part_of(row_of(block.keys[rank]));
      const std::uint32_t row = row_of(block.keys[rank]) - part.first_row;
      if (part.label_begin != nullptr)
        begin = part.label_begin[row], end = part.label_begin[row + 1];
      label = part.label;
    }
    std::uint32_t place = listed + scan_exclusive(block.fixed, end - begin);
    for (std::uint32_t i = begin; i < end; ++i)
      ballot.pair[place++] = {label[i], similarity_of(block.keys[rank])};
    listed += block.fixed.total;
    __syncthreads();
  }
  return listed;
}

/// The sum of the voters' similarities, in rank order.
__device__ double add_similarities(const Block& block, const Voters& voters) {
  double total = 0;
#pragma unroll 4
  for (std::uint32_t i = 0; i < voters.end; ++i) {
    const Key key = block.keys[i];
    if (row_of(key) != voters.exclude) total += static_cast<double>(similarity_of(key));
  }
  return total;
}

/// The share of each label, by the thread of its first pair; sums run in rank order. Returns how
/// many labels there are.
__device__ std::uint32_t add_votes(const Block& block, const Voters& voters, Ballot& ballot,
                                   std::uint32_t n) {
  std::uint32_t& distinct = block.fixed.found;  // 0 between searches
  const double total = threadIdx.x / 32 * 32 < n ? add_similarities(block, voters) : 1;
  for (std::uint32_t p = threadIdx.x; p < n; p += kThreads) {
    const std::uint32_t label = ballot.pair[p].label;
    double sum = 0;
    std::uint32_t earlier = 0;
#pragma unroll 4
    for (std::uint32_t other = 0; other < n; ++other) {
      const Pair pair = ballot.pair[other];
      if (pair.label != label) continue;
      sum += static_cast<double>(pair.similarity);
      if (other < p) ++earlier;
    }
    if (earlier != 0) continue;
    ballot.share[atomicAdd(&distinct, 1u)] = {label, sum / total};
  }
  __syncthreads();
  const std::uint32_t labels = distinct;
  __syncthreads();
  if (threadIdx.x == 0) distinct = 0;
  return labels;
}

__device__ void vote(const Block& block, const SearchJob& job, std::uint32_t q) {
  Ballot& ballot = *reinterpret_cast<Ballot*>(block.keys + block.k);
  const Voters voters = choose_voters(block, job, q);
  const std::uint32_t pairs = list_votes(block, job.mirror, voters, ballot);
  const std::uint32_t labels = add_votes(block, voters, ballot, pairs);
  LabelShare* out = job.shares + std::uint64_t{q} * job.labels;
  for (std::uint32_t i = labels + threadIdx.x; i < job.labels; i += kThreads)
    out[i] = {LabelShare::kNoLabel, 0};
  for (std::uint32_t i = threadIdx.x; i < labels; i += kThreads) {
    const LabelShare own = ballot.share[i];
    std::uint32_t rank = 0;
    for (std::uint32_t other = 0; other < labels; ++other) {
      const LabelShare share = ballot.share[other];
      if (share.share > own.share || (share.share == own.share && share.label < own.label)) ++rank;
    }
    if (rank < job.labels) out[rank] = own;
  }
  __syncthreads();
}

// --- the kernel ---

__global__ void __launch_bounds__(kThreads, kBlocksWanted)
    search_kernel(SearchJob job, std::uint32_t sums_bytes) {
  extern __shared__ __align__(16) char memory[];
  __shared__ Fixed fixed;
  const Block block{fixed, memory, reinterpret_cast<Key*>(memory + sums_bytes), job.k};
  if (threadIdx.x < min(kCountsInside, job.mirror.tf_size))
    fixed.tf[threadIdx.x] = job.mirror.tf[threadIdx.x];
  for (std::uint32_t i = threadIdx.x; i < sums_bytes / 16; i += kThreads)
    reinterpret_cast<uint4*>(memory)[i] = {};
  const std::uint64_t items = std::uint64_t{job.queries.rows} * job.parts;
  for (std::uint64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const auto q = static_cast<std::uint32_t>(item / job.parts),
               part = static_cast<std::uint32_t>(item % job.parts);
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < job.k; i += kThreads) block.keys[i] = kNoKey;
    const Query query = load_query(block, job.queries, q, job.after == nullptr ? 0 : job.after[q]);
    if (job.rows != nullptr) {
      score_rows(block, job, query, part);
    } else {
      const std::uint32_t end =
          static_cast<std::uint32_t>(std::uint64_t{job.mirror.tile_count} * (part + 1) / job.parts);
      for (auto t =
               static_cast<std::uint32_t>(std::uint64_t{job.mirror.tile_count} * part / job.parts);
           t < end; ++t)
        search_tile(block, job, job.mirror.tiles[t], query,
                    job.parts > 1 ? job.floor + q : nullptr);
    }
    if (job.parts > 1 && !merge_parts(block, job, q, part)) continue;
    if (job.shares != nullptr)
      vote(block, job, q);
    else
      write_neighbors(block, job, q);
  }
}

std::size_t sums_bytes(std::uint32_t largest_words) {
  return (std::size_t{largest_words} + kPaddingWords) * 4;
}

}  // namespace

void enable_search(const Device& device) {
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, search_kernel), "search_kernel");
  cuda_check(cudaFuncSetAttribute(
                 search_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                 static_cast<int>(device.shared_per_block() - attributes.sharedSizeBytes)),
             "search_kernel");
}

SearchShape shape_search(const Device& device, std::uint32_t largest_words, std::uint32_t k) {
  SearchShape shape;
  shape.largest_words = largest_words;
  const std::size_t keys =
      std::max(k + 2 * kCandidates, std::bit_ceil(k + kCandidates));  // room to work, and to sort
  shape.shared_bytes = sums_bytes(largest_words) + keys * sizeof(Key);
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
  search_kernel<<<blocks, kThreads, shape.shared_bytes, stream>>>(
      job, static_cast<std::uint32_t>(sums_bytes(shape.largest_words)));
  launch_check("search_kernel");
}

}  // namespace kindred::cuda
