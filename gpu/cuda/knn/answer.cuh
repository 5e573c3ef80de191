#pragma once

#include <cuda/atomic>

#include "gpu/cuda/knn/rank.cuh"
#include "gpu/cuda/knn/vote.cuh"

// A query's answer. The block that is done last merges the best keys of the query's parts. Hardly
// any of them are in the answer. So it finds a bound first, and reads only the parts whose best key
// reaches it.

namespace kindred::cuda {

/// The similarities, as bits, of the keys of one rank in each part. A thread has a few parts.
struct PartSimilarities {
  static constexpr std::uint32_t kEach = (kMostParts + kThreads - 1) / kThreads;
  std::uint32_t bits[kEach];

  static __device__ PartSimilarities of(const SearchJob& job, const Key* partial,
                                        std::uint32_t rank) {
    PartSimilarities found;
#pragma unroll
    for (std::uint32_t j = 0; j < kEach; ++j) {
      const std::uint32_t part = threadIdx.x + j * kThreads;
      found.bits[j] = part < job.parts ? bits_of(__ldcg(partial + part * job.k + rank)) : 0;
    }
    return found;
  }
};

/// Makes candidates of the parts' keys that may be among the best. Uses the memory of the
/// accumulators for a list of parts, and does not clear it.
inline __device__ void gather_best(const Block& block, const SearchJob& job, const Key* partial) {
  Fixed& fixed = block.fixed;
  // A key of this rank also shows that its part has the better keys before it.
  const std::uint32_t rank = (job.k - 1) / job.parts, wanted = (job.k + rank) / (rank + 1);

  // The wanted-th of these keys bounds the answer from below: together, their parts have at least k
  // keys as good.
  const PartSimilarities best = PartSimilarities::of(job, partial, 0);
  const PartSimilarities ranked = rank == 0 ? best : PartSimilarities::of(job, partial, rank);
  raise_to_kth(block, wanted, fixed.threshold, [&](auto&& visit) {
#pragma unroll
    for (const std::uint32_t bits : ranked.bits) visit(bits);
  });
  __syncthreads();

  // The accumulators are not needed any more, so the list of parts that reach the bound is in their
  // place.
  auto* const passing = reinterpret_cast<std::uint32_t*>(block.sums);
#pragma unroll
  for (std::uint32_t j = 0; j < PartSimilarities::kEach; ++j)
    if (best.bits[j] > 0 && best.bits[j] >= fixed.threshold)
      passing[atomicAdd(&fixed.octets, 1u)] = threadIdx.x + j * kThreads;
  __syncthreads();

  // Every thread takes one key of these parts at a time. There may be more than the candidates
  // hold, so they are merged in between.
  const std::uint32_t keys = fixed.octets * job.k;
  for (std::uint32_t base = 0; base < keys; base += kThreads) {
    if (base > 0) merge_if_full(block);
    const std::uint32_t i = base + threadIdx.x;
    if (i >= keys) continue;
    const Key key = __ldcg(partial + passing[i / job.k] * job.k + i % job.k);
    if (key != kNoKey && bits_of(key) >= fixed.threshold) push_key(block, key);
  }

  __syncthreads();
  if (threadIdx.x == 0) fixed.octets = 0;
}

/// Writes this part's best keys, from the candidates and, if some were merged before, from those
/// kept.
inline __device__ void hand_in(const Block& block, const SearchJob& job, Key* keys) {
  std::uint32_t written = 0;

  // Without merged keys, the candidates are ranked right into memory, and only what is missing is
  // filled up below. Otherwise both are merged first.
  if (block.fixed.kept == 0) {
    written = block.fixed.found;
    rank_candidates(block, [&](std::uint32_t rank, Key key) {
      if (rank < job.k) keys[rank] = key;
    });
  } else if (block.fixed.found > 0) {
    merge_candidates(block);
  }
  for (std::uint32_t i = written + threadIdx.x; i < job.k; i += kThreads) keys[i] = block.keys[i];
}

/// Hands in this part's keys. True in the block that finishes the query. The best of all parts are
/// then its candidates, some of which may already be merged.
inline __device__ bool gather_parts(const Block& block, const SearchJob& job, std::uint32_t part) {
  Fixed& fixed = block.fixed;
  const std::uint32_t work = fixed.query.work;
  Key* const partial = job.partial + std::uint64_t{work} * job.parts * job.k;
  hand_in(block, job, partial + part * job.k);

  __syncthreads();
  if (threadIdx.x == 0) {  // for all threads: barriers stand before and after
    const ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> done(job.done[work]);
    fixed.is_last = done.fetch_add(1, ::cuda::memory_order_acq_rel) == job.parts - 1 ? 1 : 0;
  }
  __syncthreads();

  // The block that is done last has all parts before it. It leaves the shared numbers as it found
  // them, for the next launch.
  if (fixed.is_last == 0) return false;
  clear_keys(block);
  if (threadIdx.x == 0) job.done[work] = job.floor[work] = fixed.found = 0;

  gather_best(block, job, partial);
  return true;
}

/// Writes 8 bytes at once, for a host that may be watching.
inline __device__ void write_word(void* to, std::uint64_t word) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}

inline __device__ void write_neighbor(const SearchJob& job, std::uint32_t q, std::uint32_t rank,
                                      Key key) {
  const std::uint64_t neighbor =
      key == kNoKey ? kNoDocument : std::uint64_t{bits_of(key)} << 32 | number_of(key);
  write_word(job.neighbors + std::uint64_t{q} * job.k + rank, neighbor);
}

inline __device__ void write_neighbors(const Block& block, const SearchJob& job) {
  const std::uint32_t q = block.fixed.query.number;
  if (threadIdx.x == 0 && job.after != nullptr) job.after[q] = block.keys[job.k - 1];
  for (std::uint32_t i = threadIdx.x; i < job.k; i += kThreads)
    write_neighbor(job, q, i, block.keys[i]);
}

/// True for a query that a test wants to be left out.
inline __device__ bool is_skipped(const SearchJob& job, std::uint32_t q) {
  return kChecks && q == job.skipped;
}

/// Counts a query as answered. Comes last, since a host may be watching what is written before.
inline __device__ void count_answer(const SearchJob& job) {
  if (threadIdx.x == 0 && job.answered != nullptr) atomicAdd(job.answered, 1u);
}

/// Writes neighbors, or shares of labels, from the best keys. Shares use the memory of the
/// accumulators.
inline __device__ void write_answer(const Block& block, const SearchJob& job) {
  if (is_skipped(job, block.fixed.query.number)) return;
  if (job.shares == nullptr)
    write_neighbors(block, job);
  else
    vote(block, job);
  count_answer(job);
}

/// Writes neighbors, or shares of labels, from the best keys and from candidates that are finished
/// but not merged.
inline __device__ void write_gathered(const Block& block, const SearchJob& job) {
  const std::uint32_t q = block.fixed.query.number, found = block.fixed.found;

  // Votes need the best keys in their order, and so does a search that goes on behind the last one.
  if (block.fixed.kept > 0 || job.shares != nullptr || job.after != nullptr) {
    merge_candidates(block);
    return write_answer(block, job);
  }

  // Otherwise candidates are ranked right into the answer, which saves a merge.
  if (is_skipped(job, q)) return;
  rank_candidates(block, [&](std::uint32_t rank, Key key) {
    if (rank < job.k) write_neighbor(job, q, rank, key);
  });

  for (std::uint32_t i = found + threadIdx.x; i < job.k; i += kThreads)
    write_neighbor(job, q, i, kNoKey);
  count_answer(job);
}

/// Tells a host that is watching that the answer is complete. That is not needed for neighbors,
/// each of which the host watches itself; it would cost a fence, which waits for a round trip to
/// the host.
inline __device__ void announce(const SearchJob& job, std::uint64_t* arrived) {
  if (job.shares == nullptr || is_skipped(job, 0)) return;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) write_word(arrived, 0);
}

}  // namespace kindred::cuda
