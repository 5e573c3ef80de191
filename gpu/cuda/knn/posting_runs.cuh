#pragma once

#include <cstdint>

#include "gpu/cuda/device/chunk_layout.cuh"

namespace kindred::cuda {

inline constexpr std::uint32_t kRuns = 512;           // described at a time
inline constexpr std::uint32_t kFilterTerms = 32768;  // with more, 16-bit sums do not fit

/// A run that is to be added: sets of 32 chunks, and a rest that groups of lanes take in tasks of
/// one chunk per lane.
struct alignas(8) PostingRun {  // read at once
  std::uint32_t first_chunk;
  std::uint8_t sets;
  std::uint8_t rest;  // chunks; of a mixed run, which has no sets, also kIsMixed
  std::uint16_t add;  // the coarse contribution; of a mixed run the number of its term in the query

  __device__ bool is_mixed() const { return rest >= kIsMixed; }
  __device__ std::uint32_t first_of_rest() const { return first_chunk + sets * kSetChunks; }
  __device__ std::uint32_t end() const { return first_of_rest() + rest % kIsMixed; }
  /// Sets in the upper half, tasks in the lower one.
  __device__ std::uint32_t work() const {
    return std::uint32_t{sets} << 16 | (rest % kIsMixed + kGroupLanes - 1) / kGroupLanes;
  }
};
static_assert(kTileSlots / kSetPostings * kRuns < 1u << 16);
static_assert((kMostMixedChunks + kGroupLanes - 1) / kGroupLanes * kRuns < 1u << 16);
static_assert(kFilterTerms <= 1u << 16);  // so add holds the number of a term

/// A tile's runs, while postings are added.
struct RunList {
  PostingRun run[kRuns];
  std::uint32_t work_before[kRuns];  // the sum of work() over the runs before each
};

}  // namespace kindred::cuda
