#pragma once

#include <algorithm>
#include <bit>

#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/knn/search_block.cuh"

// Keeps the best keys so far in order, and the candidates that may join them. Finds a threshold
// that k of many similarities reach.

namespace kindred::cuda {

/// Forgets the best so far.
inline __device__ void clear_keys(const Block& block) {
  for (std::uint32_t i = threadIdx.x; i < block.k; i += kThreads) block.keys[i] = kNoKey;
  if (threadIdx.x == 0) block.fixed.kept = 0;
}

inline __device__ void push_key(const Block& block, Key key) {
  const std::uint32_t i = atomicAdd(&block.fixed.found, 1u);
  if (i < kCandidates) block.candidates()[i] = key;
}

/// Calls place(rank, key) for each candidate. Four lanes count the candidates before it. kNoKey
/// comes last; there may be several. All threads of the block, after all have pushed theirs; there
/// are at most kCandidates.
template <typename Place>
__device__ void rank_candidates(const Block& block, Place&& place) {
  constexpr std::uint32_t kLanes = 4;
  const Key* const candidates = block.candidates();
  const std::uint32_t found = block.fixed.found, lane = threadIdx.x % kLanes;

  for (std::uint32_t first = 0; first < found; first += kThreads / kLanes) {
    const std::uint32_t i = first + threadIdx.x / kLanes;
    const Key own = i < found ? candidates[i] : kNoKey;

    std::uint32_t rank = 0;
    for (std::uint32_t j = lane; j < found; j += kLanes) {
      const Key other = candidates[j];
      rank += other < own || (other == own && j < i) ? 1 : 0;
    }

    // The four lanes add up what each has counted.
    for (std::uint32_t stride = 1; stride < kLanes; stride *= 2)
      rank += __shfl_xor_sync(kWholeWarp, rank, static_cast<int>(stride));
    if (i < found && lane == 0) place(rank, own);
  }
}

/// Keys that a warp sorts without a barrier: two of each lane.
inline constexpr std::uint32_t kWarpKeys = 64;

/// The smaller or the larger of a lane's key and of that of the lane at a distance of `stride`: of
/// the two lanes, the first one keeps the smaller if keys ascend.
inline __device__ Key exchange(Key own, std::uint32_t stride, bool ascends) {
  const Key other = __shfl_xor_sync(kWholeWarp, own, static_cast<int>(stride));
  return ((threadIdx.x & stride) == 0) == ascends ? min(own, other) : max(own, other);
}

/// Sorts each kWarpKeys of keys begin .. end - 1 by the last strides of the bitonic network's step
/// of this width; if `from_start`, by all steps up to it, which is then kWarpKeys. All threads of
/// the block.
inline __device__ void sort_by_warps(Key* keys, std::uint32_t begin, std::uint32_t end,
                                     std::uint32_t width, bool from_start) {
  const std::uint32_t lane = threadIdx.x % 32;
  for (std::uint32_t base = begin + threadIdx.x / 32 * kWarpKeys; base < end;
       base += kWarps * kWarpKeys) {
    // A lane has two keys. Steps up to 32 stay within each half of the 64 keys.
    Key first = keys[base + lane], second = keys[base + 32 + lane];
    for (std::uint32_t own = 2; from_start && own <= 32; own *= 2)
      for (std::uint32_t stride = own / 2; stride > 0; stride /= 2) {
        first = exchange(first, stride, (lane & own) == 0);
        second = exchange(second, stride, (lane + 32 & own) == 0);
      }

    // The widest stride of the step is between the lane's own two keys; the others are within a
    // half.
    const bool ascends = (base & width) == 0;
    const Key low = min(first, second), high = max(first, second);
    first = ascends ? low : high;
    second = ascends ? high : low;

    for (std::uint32_t stride = 16; stride > 0; stride /= 2) {
      first = exchange(first, stride, ascends);
      second = exchange(second, stride, ascends);
    }

    keys[base + lane] = first;
    keys[base + 32 + lane] = second;
  }
}

/// Sorts keys begin .. end - 1 by the bitonic network's step of this width, which is more than
/// kWarpKeys. All threads of the block; begins with a barrier.
inline __device__ void sort_step(Key* keys, std::uint32_t begin, std::uint32_t end,
                                 std::uint32_t width) {
  for (std::uint32_t stride = width / 2; stride >= kWarpKeys; stride /= 2) {
    __syncthreads();

    // Each thread compares pairs of keys that are `stride` apart.
    for (std::uint32_t i = threadIdx.x; i < (end - begin) / 2; i += kThreads) {
      const std::uint32_t a = begin + i / stride * 2 * stride + i % stride, b = a + stride;
      const bool ascends = (a & width) == 0;
      const Key low = min(keys[a], keys[b]), high = max(keys[a], keys[b]);
      keys[a] = ascends ? low : high;
      keys[b] = ascends ? high : low;
    }
  }

  // What is left of the step is within 64 keys, which a warp sorts without barriers.
  __syncthreads();
  sort_by_warps(keys, begin, end, width, false);
}

/// Brings the first k keys, which are in order, and the `found` candidates behind them into one
/// order. The candidates move to the end of the power of two that holds all, where the bitonic
/// network sorts them so that they descend; its last step merges both. All threads of the block;
/// ends with a barrier. Rare, so it is a function of its own: inlined, it would take registers from
/// what is common.
inline __device__ __noinline__ void merge_keys(Key* keys, std::uint32_t k, std::uint32_t found) {
  constexpr std::uint32_t kEach = (kCandidates + kThreads - 1) / kThreads;

  std::uint32_t room = kWarpKeys, size = 2 * kWarpKeys;
  while (room < found) room *= 2;
  while (size < k + room) size *= 2;
  const std::uint32_t begin = size - room;

  // Candidates go to registers first, as their new places may overlap the old ones.
  Key own[kEach];
#pragma unroll
  for (std::uint32_t j = 0; j < kEach; ++j) {
    const std::uint32_t i = threadIdx.x + j * kThreads;
    own[j] = i < found ? keys[k + i] : kNoKey;
  }

  __syncthreads();
#pragma unroll
  for (std::uint32_t j = 0; j < kEach; ++j)
    if (threadIdx.x + j * kThreads < room) keys[begin + threadIdx.x + j * kThreads] = own[j];

  // The room between the kept keys and the candidates is filled with what comes last.
  for (std::uint32_t i = k + threadIdx.x; i < begin; i += kThreads) keys[i] = kNoKey;
  __syncthreads();

  // The candidates descend after these steps, since the network's direction follows the place. So
  // the last step finds one ascending and one descending half.
  sort_by_warps(keys, begin, size, kWarpKeys, true);
  for (std::uint32_t width = 2 * kWarpKeys; width <= room; width *= 2)
    sort_step(keys, begin, size, width);

  sort_step(keys, 0, size, size);
  __syncthreads();
}

/// Keys that rank_keys() can order.
inline constexpr std::uint32_t kMaxRanked = 2 * kThreads;

/// True if there are never more. Else there is room for merge_keys() to work.
inline __host__ __device__ constexpr bool may_rank_all(std::uint32_t k) {
  return k + kCandidates <= kMaxRanked;
}

/// Brings the kept keys and the candidates into one order. A thread ranks kEach of them, by
/// counting the keys before each. There are at most kEach * kThreads in all.
template <unsigned kEach>
__device__ void rank_keys(const Block& block) {
  const Key* candidates = block.candidates();
  const std::uint32_t kept = block.fixed.kept, found = block.fixed.found;

  // A thread's keys go to registers, so that keys can be overwritten in place. Most threads of a
  // small merge have none.
  Key own[kEach];
  std::uint32_t rank[kEach] = {}, answers = 0;
#pragma unroll
  for (unsigned j = 0; j < kEach; ++j) {
    const std::uint32_t i = threadIdx.x + j * kThreads;
    own[j] = i < kept ? block.keys[i] : i < kept + found ? candidates[i - kept] : kNoKey;
    if (own[j] != kNoKey) ++answers;
  }

  const auto count = [&](const Key* keys, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const Key key = keys[i];
#pragma unroll
      for (unsigned j = 0; j < kEach; ++j) rank[j] += key < own[j] ? 1 : 0;
    }
  };

  if (answers > 0) {
    count(block.keys, kept);
    count(candidates, found);
  }

  // All have read the keys that others overwrite now.
  __syncthreads();
#pragma unroll
  for (unsigned j = 0; j < kEach; ++j)
    if (own[j] != kNoKey && rank[j] < block.k) block.keys[rank[j]] = own[j];

  if (threadIdx.x == 0) block.fixed.kept = 0;
  __syncthreads();

#pragma unroll
  for (unsigned j = 0; j < kEach; ++j)
    if (own[j] != kNoKey) atomicMax(&block.fixed.kept, min(rank[j] + 1, block.k));
}

/// Merges the finished candidates into the best k, empties their list and raises the threshold.
inline __device__ void merge_candidates(const Block& block) {
  Fixed& fixed = block.fixed;
  const std::uint32_t n = fixed.kept + fixed.found;

  // The way depends on how many keys there are: counting is quickest for few.
  if (n <= kThreads) {
    rank_keys<1>(block);
  } else if (may_rank_all(block.k)) {
    rank_keys<2>(block);
  } else {
    merge_keys(block.keys, block.k, fixed.found);
    for (std::uint32_t i = threadIdx.x; i < block.k; i += kThreads)
      if (block.keys[i] != kNoKey) atomicMax(&fixed.kept, i + 1);
  }

  // Only a full list bounds what comes: k rows are as good as its last key.
  __syncthreads();
  if (threadIdx.x == 0) {
    fixed.found = 0;
    if (fixed.kept == block.k)
      fixed.threshold =
          max(fixed.threshold, __float_as_uint(similarity_of(block.keys[block.k - 1])));
  }
  __syncthreads();
}

/// Does the same if another step, in which each thread may push a key, could overflow the list. All
/// threads of the block.
inline __device__ void merge_if_full(const Block& block) {
  __syncthreads();
  const std::uint32_t found = block.fixed.found;
  __syncthreads();  // all have read it before anyone pushes again
  if (found > kCandidates - kThreads) merge_candidates(block);
}

/// The bin of the k-th largest of the values counted in bins[0 .. kCount), by one warp; number 0 if
/// fewer than k were counted. Bin 0 is empty.
template <std::uint32_t kCount>
__device__ Bin find_bin(const std::uint32_t* bins, std::uint32_t k) {
  constexpr std::uint32_t kEach = kCount / 32;  // bins of a lane; lane 31 has the uppermost
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t count[kEach], own = 0;
#pragma unroll
  for (std::uint32_t j = 0; j < kEach; ++j) own += count[j] = bins[lane * kEach + j];

  // How many values are in the bins above this lane's: a sum over lanes, from the last one down.
  std::uint32_t above = own;  // of this lane and those after it
  for (unsigned stride = 1; stride < 32; stride *= 2) {
    const std::uint32_t more = __shfl_down_sync(kWholeWarp, above, stride);
    if (lane + stride < 32) above += more;
  }
  above -= own;

  // One lane alone has the bin in which the count reaches k. The others have 0, so the largest is
  // the answer.
  Bin found{0, 0};
#pragma unroll
  for (std::uint32_t j = kEach; j-- > 0; above += count[j])
    if (above < k && above + count[j] >= k) found = {lane * kEach + j, above};

  return {__reduce_max_sync(kWholeWarp, found.number), __reduce_max_sync(kWholeWarp, found.above)};
}

/// Clears bins; all threads of the block.
inline __device__ void clear_bins(std::uint32_t* bins, std::uint32_t n) {
  for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) bins[i] = 0;
  __syncthreads();
}

/// The bin of a lower bound, given as the bits of a float. Bin 0 is for values that are too small
/// for a threshold.
inline __device__ std::uint32_t bin_of(std::uint32_t bits) {
  const std::uint32_t bin = bits >> kBinShift;
  return bin <= kFirstBin ? 0 : min(bin - kFirstBin, kBins - 1);
}

/// Raises `threshold`, the bits of a float, to the k-th largest of the values of all threads, to
/// within 2^-11 of it, by a histogram in two rounds. for_each(visit) visits this thread's values as
/// bits of floats. Uses the memory of the candidates. The new threshold holds after the caller's
/// next barrier.
template <typename ForEach>
__device__ void raise_to_kth(const Block& block, std::uint32_t k, std::uint32_t& threshold,
                             ForEach&& for_each) {
  std::uint32_t* const bins = block.bins();
  std::uint32_t* const fine_bins = bins + kBins;
  clear_bins(bins, kBins + kFineBins);

  // First round: by exponent and the first bits of the fraction.
  for_each([&](std::uint32_t bits) {
    if (bin_of(bits) > 0) atomicAdd(&bins[bin_of(bits)], 1u);
  });
  __syncthreads();

  if (threadIdx.x < 32) {
    const Bin bin = find_bin<kBins>(bins, k);
    if (threadIdx.x == 0) block.fixed.bin = bin;
  }
  __syncthreads();

  const Bin coarse = block.fixed.bin;
  if (coarse.number == 0) return;

  // Second round: by further bits, only values of the bin that was found. `coarse.above` values are
  // better than all of these.
  for_each([&](std::uint32_t bits) {
    const std::uint32_t fine = bits >> (kBinShift - kFineBits) & ((1u << kFineBits) - 1);
    if (bin_of(bits) == coarse.number) atomicAdd(&fine_bins[1 + fine], 1u);
  });
  __syncthreads();

  if (threadIdx.x >= 32) return;
  const Bin fine = find_bin<kFineBins>(fine_bins, k - coarse.above);

  // The lower end of the fine bin is a bound that k values reach.
  const std::uint32_t bits =
      (coarse.number + kFirstBin) << kBinShift | (fine.number - 1) << (kBinShift - kFineBits);
  if (threadIdx.x == 0) threshold = max(threshold, bits);
}

/// Bytes of the best keys and what follows them (Block::keys).
inline std::size_t keys_bytes(std::uint32_t k) {
  const std::size_t lists = k * sizeof(Key) + sizeof(RunList);  // the largest of the lists
  const std::uint32_t most = k + kCandidates;                   // keys that may have to be ordered
  return may_rank_all(k) ? lists : std::max(lists, std::bit_ceil(most) * sizeof(Key));
}

}  // namespace kindred::cuda
