#pragma once

#include "gpu/cuda/chunk_layout.cuh"
#include "gpu/cuda/search.cuh"
#include "gpu/scoring.h"

// The block that searches: its memory, its query, and what its threads do together.

namespace kindred::cuda {

inline constexpr unsigned kThreads = 384;
inline constexpr unsigned kWarps = kThreads / 32;
inline constexpr unsigned kWhole = 0xFFFFFFFFu;
inline constexpr unsigned kBlocksWanted = 3;  // on a multiprocessor

inline constexpr std::uint32_t kRuns = 512;                   // described at a time
inline constexpr std::uint32_t kCandidates = 512;             // kept before they are finished
inline constexpr std::uint32_t kTermsInside = 256;            // of a query, kept in shared memory
inline constexpr std::uint32_t kFilterTerms = 32768;          // more leave 16-bit sums no room
inline constexpr std::uint32_t kBins = 128;     // of a first round: by a float's exponent
inline constexpr std::uint32_t kBinShift = 20;  // and 3 bits of its fraction
inline constexpr std::uint32_t kFineBits = 8;   // of the fraction, for the second round
inline constexpr std::uint32_t kFineBins = 2 << kFineBits;  // half of them are used: bin 0 is empty
inline constexpr std::uint32_t kFirstBin = (127 - 15) << 3;  // 2^-15 and below: bin 0
inline constexpr std::uint32_t kHashSlots = 1024;            // for kTermsInside terms
inline constexpr std::uint32_t kCountsInside = 32;  // of the tf table, kept in shared memory
inline constexpr unsigned kAhead = 3;               // entries of a row that a lane asks for at once
inline constexpr unsigned kTogether = 8;            // candidates that a warp works on together
inline constexpr unsigned kShared = 160;  // of their entries that the query may have, at a time
inline constexpr std::size_t kReserved = 1024;  // of shared memory a block, by the runtime

using Key = unsigned long long;  // similarity descending, then row ascending; kNoKey is last
inline constexpr Key kNoKey = ~0ull;

inline __device__ Key make_key(float similarity, std::uint32_t row) {
  return similarity > 0 ? Key{~__float_as_uint(similarity)} << 32 | row : kNoKey;
}
inline __device__ float similarity_of(Key key) {
  return __uint_as_float(~static_cast<std::uint32_t>(key >> 32));
}
inline __device__ std::uint32_t row_of(Key key) { return static_cast<std::uint32_t>(key); }

inline __device__ std::uint32_t hash_slot(std::uint32_t term) { return term * 0x9E3779B1u >> 22; }
inline constexpr std::uint32_t kFreeSlot = 0xFFFF;

/// A bin of a histogram and how many values are in those above it.
struct Bin {
  std::uint32_t number;
  std::uint32_t above;
};

/// Postings of one count, on their way to be added: sets of 32 chunks, and a rest that groups of
/// lanes take in tasks of one chunk a lane.
struct Run {
  std::uint32_t first_chunk;
  std::uint8_t sets;
  std::uint8_t rest;  // chunks
  std::uint16_t add;  // the coarse contribution

  __device__ std::uint32_t first_of_rest() const { return first_chunk + sets * kSetChunks; }
  /// Sets in the upper half, tasks in the lower one.
  __device__ std::uint32_t work() const {
    return std::uint32_t{sets} << 16 | (rest + kGroupLanes - 1) / kGroupLanes;
  }
};
static_assert(kTileSlots / kSetPostings < 256 && 2 * kSetChunks < 256);
static_assert(kTileSlots / kSetPostings * kRuns < 1u << 16);

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
  std::uint32_t work_before[kRuns];  // the sum of work() over the runs before each
};

/// And what depends on the job.
struct Block {
  Fixed& fixed;
  char* sums;  // [largest words + padding] accumulators, 0 between tiles
  Key* keys;   // [k + 2 * kCandidates at least] the best so far, candidates, their places
  std::uint32_t k;

  __device__ Key* candidates() const { return keys + k; }
  __device__ std::uint16_t* pieces() const {
    return reinterpret_cast<std::uint16_t*>(candidates() + kCandidates);
  }
  __device__ RowPlace* places() const {
    return reinterpret_cast<RowPlace*>(candidates() + kCandidates);
  }
  __device__ std::uint32_t* bins() const {
    static_assert((kBins + kFineBins) * sizeof(std::uint32_t) <= kCandidates * sizeof(Key));
    return reinterpret_cast<std::uint32_t*>(candidates());
  }
};

/// A query as its block sees it.
struct Query {
  const std::uint32_t* term;
  const double* factor;
  std::uint32_t terms;
  Key after;       // only keys behind it answer; 0: all
  bool is_hashed;  // then `term` and `factor` are in shared memory
};

inline __device__ float threshold_of(const Block& block) {
  return __uint_as_float(block.fixed.threshold);
}

/// The sum of `value` over the threads before this one; the sum of all in fixed.total.
inline __device__ std::uint32_t scan_exclusive(Fixed& fixed, std::uint32_t value) {
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

/// Puts term number `i` into the hash: open addressing, in any order.
inline __device__ void insert_term(Fixed& fixed, std::uint32_t i) {
  for (std::uint32_t slot = hash_slot(fixed.term[i]);; slot = (slot + 1) % kHashSlots) {
    auto* const half = reinterpret_cast<unsigned short*>(fixed.hash) + slot;
    if (atomicCAS(half, static_cast<unsigned short>(kFreeSlot), static_cast<unsigned short>(i)) ==
        kFreeSlot)
      return;
  }
}

inline __device__ Query load_query(const Block& block, const QueryBatch& queries, std::uint32_t q,
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
inline __device__ double find_factor(const Fixed& fixed, const Query& query, std::uint32_t term) {
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

}  // namespace kindred::cuda
