#pragma once

#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/knn/posting_runs.cuh"
#include "gpu/cuda/knn/query_terms.cuh"
#include "gpu/cuda/knn/row_quads.cuh"
#include "gpu/cuda/knn/search.cuh"
#include "gpu/scoring.h"

// The block that searches: its memory, its query, and what its threads do together.

namespace kindred::cuda {

inline constexpr unsigned kThreads = 288;
inline constexpr unsigned kWarps = kThreads / 32;
inline constexpr unsigned kBlocksWanted = 4;  // on a multiprocessor

inline constexpr std::uint32_t kListed = 2560;     // slots of a tile that may be among the best
inline constexpr std::uint32_t kFewListed = 160;   // beside 2 k: a better threshold costs more
inline constexpr std::uint32_t kCandidates = 512;  // finished together
// In both rounds a lane reads an odd number of consecutive bins, so that each lane uses its own
// bank.
inline constexpr std::uint32_t kBins = 32 * 5;      // of a first round: by a float's exponent
inline constexpr std::uint32_t kBinShift = 20;      // and 3 bits of its fraction
inline constexpr std::uint32_t kFineBits = 8;       // of the fraction, for the second round
inline constexpr std::uint32_t kFineBins = 32 * 9;  // more than 1 + 2^kFineBits: bin 0 is empty
inline constexpr std::uint32_t kFirstBin = (127 - 15) << 3;  // 2^-15 and below: bin 0
inline constexpr std::uint32_t kCountsInside = 32;  // of the tf table, kept in shared memory
inline constexpr int kDropBits = 8;                 // of a coarse unit, in Fixed::dropped
inline constexpr std::size_t kReserved = 1024;      // of a block's shared memory, by the runtime

using Key = unsigned long long;  // similarity descending, then number ascending; kNoKey is last
inline constexpr Key kNoKey = ~0ull;

inline __device__ Key make_key(float similarity, std::uint32_t number) {
  return similarity > 0 ? Key{~__float_as_uint(similarity)} << 32 | number : kNoKey;
}
/// The bits of its similarity; 0 for kNoKey.
inline __device__ std::uint32_t bits_of(Key key) { return ~static_cast<std::uint32_t>(key >> 32); }
inline __device__ float similarity_of(Key key) { return __uint_as_float(bits_of(key)); }
inline __device__ std::uint32_t number_of(Key key) { return static_cast<std::uint32_t>(key); }

/// A bin of a histogram and how many values are in those above it.
struct Bin {
  std::uint32_t number;
  std::uint32_t above;
};

/// A query as its block sees it.
struct Query {
  const std::uint32_t* term;  // ascending
  const double* factor;
  std::uint32_t terms;
  std::uint32_t number;  // in its batch
  std::uint32_t work;    // number of its item, or of the memory that its blocks share
  Key after;             // only keys behind it answer; 0: all
};

/// The part of the block's memory that has a fixed size. The query is here and not in registers,
/// since the loops need those.
struct Fixed {
  Query query;
  long long drop_below;      // contributions below it are not added up
  std::uint32_t dropped;     // what a sum may lack for that, in 2^-kDropBits of its units
  std::uint32_t drop_each;   // what it may lack for each entry of its document, in the same units
  std::uint32_t kept_terms;  // at most so many terms contribute to a sum
  int shift;                 // of coarse contributions in this tile
  alignas(16) float warp_bound[kWarps];
  std::uint32_t warp_sum[kWarps];
  std::uint32_t total;
  std::uint32_t octets;     // listed by list_octets(); 0 between tiles
  std::uint32_t listed;     // slots, also those that did not fit; 0 between tiles
  std::uint32_t kept;       // keys of the best so far
  std::uint32_t found;      // candidates pushed, also those that did not fit
  std::uint32_t threshold;  // bits of a similarity that k rows are known to reach
  std::uint32_t estimate;   // bits of a similarity that about k rows of the tile reach
  Bin bin;
  std::uint32_t is_last;
  std::uint32_t next_item;
  std::uint32_t shared;  // what Cluster::least() compares
  std::uint32_t term[kTermsInside];
  double factor[kTermsInside];
  double tf[kCountsInside];
};

/// A tile's slots that may be among the best, after that.
struct SlotList {
  std::uint16_t octet[kCandidates];
  std::uint16_t slot[kListed];
};
static_assert(sizeof(SlotList) <= sizeof(RunList));

/// Those of them that are finished together, after that.
struct CandidateList {
  Key candidate[kCandidates];
};
static_assert(sizeof(CandidateList) <= sizeof(RunList));

/// Memory for finish_together(), in the place of the sums, which are not needed then.
struct alignas(16) FinishList {
  std::uint16_t slot[kListed];
  std::uint32_t place[kCandidates];  // of those that are finished together
  RowQuads row[kCandidates];
  std::uint64_t sum[kCandidates];
  QueryTerms terms;
};

/// All of the block's memory, including what depends on the job.
struct Block {
  Fixed& fixed;
  char* sums;  // accumulators and padding, or a FinishList, or a Ballot; 0 between tiles
  Key* keys;   // [k] the best so far; then one of the lists, or room for sorting
  std::uint32_t k;

  __device__ RunList& runs() const { return *reinterpret_cast<RunList*>(keys + k); }
  __device__ SlotList& slots() const { return *reinterpret_cast<SlotList*>(keys + k); }
  __device__ Key* candidates() const {
    return reinterpret_cast<CandidateList*>(keys + k)->candidate;
  }
  __device__ std::uint32_t* bins() const {
    static_assert((kBins + kFineBins) * sizeof(std::uint32_t) <= sizeof(CandidateList::candidate));
    return reinterpret_cast<std::uint32_t*>(candidates());
  }
  __device__ FinishList& finish() const { return *reinterpret_cast<FinishList*>(sums); }
};

inline __device__ float threshold_of(const Block& block) {
  return __uint_as_float(block.fixed.threshold);
}

/// Sets memory to 0, 16 bytes at a time. All threads of the block.
inline __device__ void zero(void* memory, std::size_t bytes) {
  for (std::uint32_t i = threadIdx.x; i < bytes / 16; i += kThreads)
    static_cast<uint4*>(memory)[i] = {};
}

/// Clears accumulators, or what was put in their place. All threads of the block; begins with a
/// barrier.
inline __device__ void clear(char* memory, std::size_t bytes) {
  __syncthreads();
  zero(memory, bytes);
}

/// Returns the sum of `value` over the threads before this one. fixed.total is the sum over all.
inline __device__ std::uint32_t scan_exclusive(Fixed& fixed, std::uint32_t value) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  // First within warps, then over warps: every warp adds up what the warps before it have.
  const std::uint32_t before = sum_before(value);
  if (lane == 31) fixed.warp_sum[warp] = before + value;
  __syncthreads();

  std::uint32_t warps_before = lane < kWarps ? fixed.warp_sum[lane] : 0;
  const std::uint32_t own = __reduce_add_sync(kWholeWarp, lane < warp ? warps_before : 0);
  const std::uint32_t all = __reduce_add_sync(kWholeWarp, warps_before);

  if (threadIdx.x == 0) fixed.total = all;
  __syncthreads();
  return own + before;
}

/// Loads a query of the batch. All threads of the block; ends with a barrier.
inline __device__ void load_query(const Block& block, const QueryBatch& queries,
                                  const QueryItem& item, std::uint32_t work, Key after) {
  Fixed& fixed = block.fixed;
  const bool fits = item.terms <= kTermsInside;

  // The first thread describes the query; the others copy its terms into shared memory, if they
  // fit.
  if (threadIdx.x == 0) {
    fixed.octets = fixed.listed = fixed.found = fixed.threshold = 0;
    fixed.query = {fits ? fixed.term : queries.term + item.begin,
                   fits ? fixed.factor : queries.factor + item.begin,
                   item.terms,
                   item.number,
                   work,
                   after};
  }

  for (std::uint32_t i = threadIdx.x; fits && i < item.terms; i += kThreads) {
    fixed.term[i] = queries.term[item.begin + i];
    fixed.factor[i] = queries.factor[item.begin + i];
  }
  __syncthreads();
}

/// An argument of the launch where loads see ordinary memory. Read as the constant that it is, it
/// would be read one lane after the other.
template <typename Argument>
__device__ const Argument* in_memory(const Argument& argument) {
  const Argument* address = &argument;
  asm("" : "+l"(address));
  return address;
}

/// Loads the query that came with the launch. It is there after the caller's next barrier.
template <std::uint32_t kTerms>
__device__ void load_query(const Block& block, const QueryArgument<kTerms>& query) {
  Fixed& fixed = block.fixed;
  if (threadIdx.x == 0) {
    fixed.octets = fixed.listed = fixed.found = fixed.threshold = 0;
    fixed.query = {fixed.term, fixed.factor, query.terms, 0, 0, 0};
  }

  static_assert(kTerms <= kThreads);
  const QueryArgument<kTerms>* const from = in_memory(query);
  if (threadIdx.x >= query.terms) return;
  fixed.term[threadIdx.x] = from->term[threadIdx.x];
  fixed.factor[threadIdx.x] = from->factor[threadIdx.x];
}

inline __device__ void load_query(const Block& block, const LongQuery& query) {
  Fixed& fixed = block.fixed;
  if (threadIdx.x != 0) return;
  fixed.octets = fixed.listed = fixed.found = fixed.threshold = 0;
  fixed.query = {query.term, query.factor, query.terms, 0, 0, 0};
}

/// The factor of `term`, 0 if the query lacks it.
inline __device__ double find_factor(const Query& query, std::uint32_t term) {
  const std::uint32_t low = find_first(query.terms, [&](std::uint32_t i) {
    return query.term[i] < term;
  });
  return low < query.terms && query.term[low] == term ? query.factor[low] : 0;
}

}  // namespace kindred::cuda
