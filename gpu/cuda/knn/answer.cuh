#pragma once

#include "gpu/cuda/knn/rank.cuh"
#include "gpu/cuda/knn/vote.cuh"

// A query's answer, written by the block that finished it.

namespace kindred::cuda {

/// Writes 8 bytes at once, for a host that may be watching.
inline __device__ void write_word(void* to, std::uint64_t word) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}

inline __device__ void write_neighbor(const SearchJob& job, std::uint32_t q, std::uint32_t rank,
                                      Key key) {
  const std::uint64_t neighbor =
      key == kNoKey ? Neighbor::kNoRow : std::uint64_t{bits_of(key)} << 32 | number_of(key);
  write_word(job.neighbors + std::uint64_t{q} * job.k + rank, neighbor);
}

inline __device__ void write_neighbors(const Block& block, const SearchJob& job) {
  const std::uint32_t q = block.fixed.query.number;
  if (threadIdx.x == 0 && job.after != nullptr) job.after[q] = block.keys[job.k - 1];
  for (std::uint32_t i = threadIdx.x; i < job.k; i += kThreads)
    write_neighbor(job, q, i, block.keys[i]);
}

/// Writes neighbors, or shares of labels, from the best keys. Shares use the memory of the
/// accumulators.
inline __device__ void write_answer(const Block& block, const SearchJob& job) {
  if (job.shares == nullptr)
    write_neighbors(block, job);
  else
    vote(block, job);
}

/// Writes neighbors, or shares of labels, from the best keys and from candidates that are finished
/// but not merged.
inline __device__ void write_gathered(const Block& block, const SearchJob& job) {
  const std::uint32_t q = block.fixed.query.number, found = block.fixed.found;
  if (block.fixed.kept > 0 || job.shares != nullptr || job.after != nullptr) {
    merge_candidates(block);
    return write_answer(block, job);
  }
  rank_candidates(block, [&](std::uint32_t rank, Key key) {
    if (rank < job.k) write_neighbor(job, q, rank, key);
  });
  for (std::uint32_t i = found + threadIdx.x; i < job.k; i += kThreads)
    write_neighbor(job, q, i, kNoKey);
}

/// Tells a host that is watching that the answer is complete. That is not needed for neighbors,
/// each of which the host watches itself; it would cost a fence, which waits for a round trip to
/// the host.
inline __device__ void announce(const SearchJob& job, std::uint64_t* arrived) {
  if (job.shares == nullptr) return;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) write_word(arrived, 0);
}

}  // namespace kindred::cuda
