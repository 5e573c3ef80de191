// The votes of many queries' neighbors (gpu/knn/vote.h is their definition).
// Floor: 8 bytes per neighbor, its labels from L2, 16 bytes per share over HBM's rate: 0.1 ms for
// the reference job.
// Shape: one warp per query, since a label's sum is added in the neighbors' order: one neighbor
// after the other, one lane per label of it, into a table of all labels. No block waits at barriers
// for it, as it would at the end of a search.
#include "gpu/cuda/knn/vote_batch.cuh"

#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/knn/vote.cuh"

namespace kindred::cuda {
namespace {

constexpr unsigned kBallotWarps = kBlockThreads / 32;
static_assert(kTableLabels * kBallotWarps * sizeof(double) <=
              48 << 10);  // what any launch may have

/// The work of a warp on one query.
class WarpVote {
 public:
  __device__ WarpVote(const VoteBatch& job, std::uint32_t query, double* sums)
      : job_(job),
        neighbors_(reinterpret_cast<const uint2*>(job.neighbors) + std::uint64_t{query} * job.k),
        exclude_(job.exclude == nullptr ? kNoDocument : job.exclude[query]),
        sums_(sums) {}

  /// Adds up each label's similarities, and divides them by those of all.
  __device__ void add() {
    for (std::uint32_t label = lane_; label < job_.label_count; label += 32) sums_[label] = 0;
    __syncwarp();

    // Neighbors in their order, as the definition says, 32 at a time.
    const std::uint32_t end = voters();
    double total = 0;
    for (std::uint32_t first = 0; first < end; first += 32) add_neighbors(first, end, total);

    for (std::uint32_t label = lane_; label < job_.label_count; label += 32)
      if (sums_[label] > 0) sums_[label] /= total;
  }

  /// Writes the largest shares and removes them from the table.
  __device__ void write(LabelShare* out) {
    // Few shares are wanted, so a search for each costs less than a sort of all.
    for (std::uint32_t rank = 0; rank < job_.labels; ++rank) {
      const LabelShare best = pop_best();
      if (best.label == LabelShare::kNoLabel) {
        for (std::uint32_t i = rank + lane_; i < job_.labels; i += 32) write_share(out + i, best);
        return;
      }
      if (lane_ == 0) write_share(out + rank, best);
    }
  }

 private:
  static constexpr std::uint32_t kAtOnce = 4;

  /// A neighbor's labels and what each gets; no labels, and nothing, where it does not vote.
  struct Voter {
    const std::uint32_t* label;
    std::uint32_t labels;
    double weight;
  };

  __device__ uint2 neighbor(std::uint32_t rank) const {
    if (rank >= job_.k) return {kNoDocument, 0};
    return neighbors_[rank];
  }

  /// How many neighbors there are, one that is excluded included, but no more than may vote: one
  /// more was asked for where a document is excluded.
  __device__ std::uint32_t voters() const {
    std::uint32_t end = 0;
    bool has_excluded = job_.exclude == nullptr;

    // Places without a neighbor come last, so the number of neighbors is their end.
    for (std::uint32_t first = 0; first < job_.k; first += 32) {
      const std::uint32_t number = neighbor(first + lane_).x;
      end += __popc(__ballot_sync(kWholeWarp, number != kNoDocument));
      if (__any_sync(kWholeWarp, number != kNoDocument && number == exclude_) != 0)
        has_excluded = true;
    }

    if (has_excluded) return end;
    return min(end, job_.k - 1);
  }

  __device__ Voter voter(std::uint32_t rank, std::uint32_t end) const {
    const uint2 own = neighbor(rank);
    if (rank >= end || own.x == exclude_) return {nullptr, 0, 0};

    const std::uint32_t place = job_.mirror.place_of(own.x);
    const SegmentView segment = job_.mirror.segment_of(place);
    const std::uint32_t row = place - segment.first_place;
    const auto weight = static_cast<double>(__uint_as_float(own.y));

    // A neighbor without labels still counts in the sum of all.
    if (segment.label_begin == nullptr) return {nullptr, 0, weight};
    const std::uint32_t begin = segment.label_begin[row];
    return {segment.label + begin, segment.label_begin[row + 1] - begin, weight};
  }

  /// Adds neighbors first .. first + 31, in their order. The labels of kAtOnce neighbors load at
  /// once.
  __device__ void add_neighbors(std::uint32_t first, std::uint32_t end, double& total) {
    const Voter own = voter(first + lane_, end);
    const auto label = reinterpret_cast<unsigned long long>(own.label);

    // Labels of several neighbors load before the first of them is added.
    for (std::uint32_t n = 0; n < 32 && first + n < end; n += kAtOnce) {
      Voter voters[kAtOnce];
      std::uint32_t its_label[kAtOnce];
#pragma unroll
      for (std::uint32_t j = 0; j < kAtOnce; ++j) {
        const int from = static_cast<int>(n + j);
        voters[j] = {reinterpret_cast<const std::uint32_t*>(__shfl_sync(kWholeWarp, label, from)),
                     __shfl_sync(kWholeWarp, own.labels, from),
                     __shfl_sync(kWholeWarp, own.weight, from)};
        its_label[j] = lane_ < voters[j].labels ? __ldg(voters[j].label + lane_) : 0;
      }
#pragma unroll
      for (std::uint32_t j = 0; j < kAtOnce; ++j) {
        // A neighbor has a label once, so its lanes write to different sums. The next neighbor
        // waits for them.
        total += voters[j].weight;
        if (lane_ < voters[j].labels) sums_[its_label[j]] += voters[j].weight;
        for (std::uint32_t i = lane_ + 32; i < voters[j].labels; i += 32)
          sums_[__ldg(voters[j].label + i)] += voters[j].weight;
        __syncwarp();
      }
    }
  }

  /// The largest share. Ties go to the lowest label. kNoLabel if all are taken.
  __device__ LabelShare pop_best() {
    // The best of this lane's labels; the lowest of equal ones comes first.
    double own = 0;
    std::uint32_t own_label = LabelShare::kNoLabel;
    for (std::uint32_t label = lane_; label < job_.label_count; label += 32)
      if (sums_[label] > own) {
        own = sums_[label];
        own_label = label;
      }

    // Doubles that are not negative have the same order as their bits.
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(own));
    const auto upper = static_cast<unsigned>(bits >> 32);
    const auto lower = static_cast<unsigned>(bits);
    const unsigned most = __reduce_max_sync(kWholeWarp, upper);
    const unsigned then = __reduce_max_sync(kWholeWarp, upper == most ? lower : 0);

    // Of the lanes with this share, the lowest label.
    const bool is_best = upper == most && lower == then;
    const std::uint32_t best =
        __reduce_min_sync(kWholeWarp, is_best ? own_label : LabelShare::kNoLabel);
    if (best == LabelShare::kNoLabel) return {best, 0};

    // Its lane takes it out of the table.
    if (lane_ == best % 32) sums_[best] = 0;
    const auto share = static_cast<long long>(std::uint64_t{most} << 32 | then);
    return {best, __longlong_as_double(share)};
  }

  const VoteBatch& job_;
  const uint2* const neighbors_;
  const std::uint32_t exclude_;
  double* const sums_;  // [label_count]
  const unsigned lane_ = threadIdx.x % 32;
};

__global__ void __launch_bounds__(kBlockThreads)
    vote_batch_kernel(const __grid_constant__ VoteBatch job) {
  extern __shared__ double sums[];
  const unsigned warp = threadIdx.x / 32;
  const std::uint32_t query = blockIdx.x * kBallotWarps + warp;
  if (query >= job.queries) return;
  WarpVote vote(job, query, sums + warp * job.label_count);
  vote.add();
  vote.write(job.shares + std::uint64_t{query} * job.labels);
  if (threadIdx.x % 32 == 0) atomicAdd(job.answered, 1u);
}

}  // namespace

void vote_batch(const VoteBatch& job, cudaStream_t stream) {
  if (job.queries == 0) return;

  const std::size_t bytes = std::size_t{job.label_count} * kBallotWarps * sizeof(double);
  vote_batch_kernel<<<(job.queries + kBallotWarps - 1) / kBallotWarps, kBlockThreads, bytes,
                      stream>>>(job);
  launch_check("vote_batch_kernel");
}

}  // namespace kindred::cuda
