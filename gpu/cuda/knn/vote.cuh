#pragma once

#include "gpu/cuda/knn/search_block.cuh"
#include "gpu/knn/backend.h"

// The vote of a query's neighbors, in the block that found them (gpu/knn/vote.h is its definition).

namespace kindred::cuda {

/// Writes a share, padding included, since its bytes are copied to the host as they are.
inline __device__ void write_share(LabelShare* to, const LabelShare& share) {
  static_assert(sizeof(LabelShare) == 16 && alignof(LabelShare) == 8);
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(share.share));
  *reinterpret_cast<uint2*>(to) = {share.label, 0};
  reinterpret_cast<unsigned long long*>(to)[1] = bits;
}

/// Which of the keys vote: those before `end` whose document is not `exclude`.
struct Voters {
  std::uint32_t end;
  std::uint32_t exclude;

  __device__ bool has(const Block& block, std::uint32_t rank) const {
    return rank < end && number_of(block.keys[rank]) != exclude;
  }
};

/// One more neighbor than may vote was asked for where a document is excluded.
inline __device__ Voters choose_voters(const Block& block, const SearchJob& job, std::uint32_t q) {
  Voters voters{0, job.exclude == nullptr ? kNoDocument : job.exclude[q]};
  bool has_excluded = false;

  // Keys without a document come last, so the number of others is the end.
  for (std::uint32_t first = 0; first < job.k; first += kThreads) {
    const Key key = first + threadIdx.x < job.k ? block.keys[first + threadIdx.x] : kNoKey;
    voters.end += static_cast<std::uint32_t>(__syncthreads_count(key != kNoKey));
    if (__syncthreads_or(key != kNoKey && number_of(key) == voters.exclude) != 0)
      has_excluded = true;
  }

  // Without the excluded document, the last neighbor is one too many.
  if (job.exclude != nullptr && !has_excluded) voters.end = min(voters.end, job.k - 1);
  return voters;
}

/// A voter's label; ordered by label, then rank of the voter.
struct Voice {
  std::uint32_t packed;

  static constexpr unsigned kRankBits = 10;
  static __device__ Voice of(std::uint32_t label, std::uint32_t rank) {
    static_assert(kMaxNeighbors <= 1u << kRankBits && kVotableLabels < 1u << (32 - kRankBits));
    return {label << kRankBits | rank};
  }
  __device__ std::uint32_t label() const { return packed >> kRankBits; }
  __device__ std::uint32_t rank() const { return packed & ((1u << kRankBits) - 1); }
};

/// The block's memory for a vote, in the place of the accumulators.
struct alignas(16) Ballot {
  Voice voice[kMaxVotes];  // as they come
  Voice sorted[kMaxVotes];
  LabelShare share[kMaxVotedLabels];  // of distinct labels, in any order
  std::uint32_t rank[kMaxVotedLabels];
  double total;  // of the voters' similarities
};

/// Lists the voters' labels; returns how many there are.
inline __device__ std::uint32_t list_votes(const Block& block, const MirrorView& mirror,
                                           const Voters& voters, Ballot& ballot) {
  std::uint32_t listed = 0;

  // A thread takes one voter: finds its labels, and then its place among all.
  for (std::uint32_t first = 0; first < voters.end; first += kThreads) {
    const std::uint32_t rank = first + threadIdx.x;
    std::uint32_t begin = 0, end = 0;
    const std::uint32_t* label = nullptr;
    if (voters.has(block, rank)) {
      const std::uint32_t place = mirror.place_of(number_of(block.keys[rank]));
      const SegmentView segment = mirror.segment_of(place);
      const std::uint32_t row = place - segment.first_place;
      if (segment.label_begin != nullptr)
        begin = segment.label_begin[row], end = segment.label_begin[row + 1];
      label = segment.label;
    }

    std::uint32_t place = listed + scan_exclusive(block.fixed, end - begin);
    for (std::uint32_t i = begin; i < end; ++i) ballot.voice[place++] = Voice::of(label[i], rank);
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
    if (number_of(key) != voters.exclude) total += static_cast<double>(similarity_of(key));
  }
  return total;
}

/// Sorts the voices by counting those before each. Meanwhile the last warp adds up the
/// similarities.
inline __device__ void sort_voices(const Block& block, const Voters& voters, Ballot& ballot,
                                   std::uint32_t n) {
  // Quads are compared, so the list is filled up with voices that come last.
  for (std::uint32_t i = n + threadIdx.x; i < (n + 3) / 4 * 4; i += kThreads)
    ballot.voice[i].packed = 0xFFFFFFFFu;
  __syncthreads();

  if (threadIdx.x / 32 == kWarps - 1) {
    const double total = add_similarities(block, voters);
    if (threadIdx.x % 32 == 0) ballot.total = total;
  }

  // Voices are distinct, so how many are before one is its place.
  const auto* const quads = reinterpret_cast<const uint4*>(ballot.voice);
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) {
    const std::uint32_t own = ballot.voice[i].packed;
    std::uint32_t before = 0;
    for (std::uint32_t quad = 0; quad < (n + 3) / 4; ++quad) {
      const uint4 other = quads[quad];
      before += (other.x < own ? 1 : 0) + (other.y < own ? 1 : 0) + (other.z < own ? 1 : 0) +
                (other.w < own ? 1 : 0);
    }
    ballot.sorted[before].packed = own;
  }
  __syncthreads();
}

/// The share of each label, by the thread of its first voice; sums run in rank order. Returns how
/// many labels there are.
inline __device__ std::uint32_t add_votes(const Block& block, Ballot& ballot, std::uint32_t n) {
  std::uint32_t& distinct = block.fixed.found;  // 0 between searches

  // The first voice of a label adds up all of them, in the order of voters, which fixes the
  // rounding.
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) {
    const std::uint32_t label = ballot.sorted[i].label();
    if (i > 0 && ballot.sorted[i - 1].label() == label) continue;

    double sum = 0;
    for (std::uint32_t j = i; j < n && ballot.sorted[j].label() == label; ++j)
      sum += static_cast<double>(similarity_of(block.keys[ballot.sorted[j].rank()]));
    ballot.share[atomicAdd(&distinct, 1u)] = {label, sum / ballot.total};
  }

  // `distinct` is read by all before it is set back to 0.
  __syncthreads();
  const std::uint32_t labels = distinct;
  __syncthreads();
  if (threadIdx.x == 0) distinct = 0;
  return labels;
}

/// Ranks labels by counting those before each: the threads are shared out among the labels.
inline __device__ void rank_labels(Ballot& ballot, std::uint32_t labels) {
  for (std::uint32_t i = threadIdx.x; i < labels; i += kThreads) ballot.rank[i] = 0;
  __syncthreads();

  // Each label is compared with all others, by several threads where there are few labels.
  const std::uint32_t each = labels == 0 ? 1 : kThreads / labels;  // threads of a label
  const std::uint32_t i = threadIdx.x / each, part = threadIdx.x % each;
  if (i < labels) {
    const LabelShare own = ballot.share[i];
    std::uint32_t before = 0;
    for (std::uint32_t other = part; other < labels; other += each) {
      const LabelShare share = ballot.share[other];
      if (share.share > own.share || (share.share == own.share && share.label < own.label))
        ++before;
    }
    atomicAdd(&ballot.rank[i], before);
  }
  __syncthreads();
}

inline __device__ void vote(const Block& block, const SearchJob& job) {
  static_assert(kMaxVotedLabels <= kThreads);
  const std::uint32_t q = block.fixed.query.number;
  Ballot& ballot = *reinterpret_cast<Ballot*>(block.sums);

  // Votes are listed, sorted by label and added up; labels are then ranked by their shares.
  const Voters voters = choose_voters(block, job, q);
  const std::uint32_t voices = list_votes(block, job.mirror, voters, ballot);
  sort_voices(block, voters, ballot, voices);
  const std::uint32_t labels = add_votes(block, ballot, voices);

  // The answer has a fixed size: what there is no label for is filled up.
  LabelShare* out = job.shares + std::uint64_t{q} * job.labels;
  for (std::uint32_t i = labels + threadIdx.x; i < job.labels; i += kThreads)
    write_share(out + i, {LabelShare::kNoLabel, 0});

  rank_labels(ballot, labels);
  for (std::uint32_t i = threadIdx.x; i < labels; i += kThreads)
    if (ballot.rank[i] < job.labels) write_share(out + ballot.rank[i], ballot.share[i]);

  __syncthreads();
}

}  // namespace kindred::cuda
