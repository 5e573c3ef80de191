#pragma once

#include "gpu/cuda/search_block.cuh"

// The vote of a query's neighbors, in the block that found them (gpu/vote.h is its definition).

namespace kindred::cuda {

/// Which of the keys vote: those before `end` whose row is not `exclude`.
struct Voters {
  std::uint32_t end;
  std::uint32_t exclude;

  __device__ bool has(const Block& block, std::uint32_t rank) const {
    return rank < end && row_of(block.keys[rank]) != exclude;
  }
};

/// One more neighbor than may vote was asked for where a row is excluded.
inline __device__ Voters choose_voters(const Block& block, const SearchJob& job, std::uint32_t q) {
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

/// The block's memory for a vote, in the place of the accumulators.
struct Ballot {
  Pair pair[kMaxVotes];               // in rank order
  LabelShare share[kMaxVotedLabels];  // of distinct labels, in any order
};

/// Lists the labels of the voters in rank order; returns how many there are.
inline __device__ std::uint32_t list_votes(const Block& block, const MirrorView& mirror,
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
inline __device__ double add_similarities(const Block& block, const Voters& voters) {
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
inline __device__ std::uint32_t add_votes(const Block& block, const Voters& voters, Ballot& ballot,
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

inline __device__ void vote(const Block& block, const SearchJob& job) {
  const std::uint32_t q = block.fixed.query.number;
  Ballot& ballot = *reinterpret_cast<Ballot*>(block.sums);
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

}  // namespace kindred::cuda
