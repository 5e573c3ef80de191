// The two nearest units of each row.
// Floor: a weight of a row meets every unit. So nonzeros x units x 4 bytes come out of shared
// memory or the second-level cache, at best 128 bytes per cycle and multiprocessor, and nonzeros x
// slices x 8 bytes of rows come out of memory.
// Shape:
// - A row has eight threads with four units each, so that a weight of the row fetches one whole
//   line of a slice. A warp has four rows.
// - There is one block per multiprocessor. It takes its rows through one slice after the other.
// - The near columns of a slice, those with the lowest numbers, are in shared memory, since the
//   first-level cache alone kept only a quarter of what was read. The other columns are in the
//   second-level cache. So callers should give frequent columns low numbers.
// - Entries come through shared memory, where four rows read theirs at once.
// - Every x.w is added up in the order of the columns, with one rounding per multiplication and one
//   per addition, as on the CPU.
#include "gpu/cuda/som/match.cuh"

#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cmath>

#include "gpu/cuda/device/launch.cuh"

namespace kindred::cuda {
namespace {

using BestKeys = SomMatcher::BestKeys;
using BlockTally = SomMatcher::BlockTally;

constexpr unsigned kMatchThreads = 1024;
constexpr unsigned kRowLanes = kSliceUnits / 4;
constexpr unsigned kRowsABlock = kMatchThreads / kRowLanes;
constexpr unsigned kFinishThreads = 256;
constexpr unsigned kAhead = 8;  // entries whose weights load at once

/// Maps floats to integers in the same order.
__device__ std::uint32_t ordered(float value) {
  const std::uint32_t bits = __float_as_uint(value);
  const bool is_negative = (bits & 0x80000000u) != 0;
  return is_negative ? ~bits : bits | 0x80000000u;
}
constexpr std::uint32_t kOrderedInfinity = 0xff800000u;  // and NaN above

__device__ unsigned long long key_of(float squared_norm, float dot, std::uint32_t unit) {
  return static_cast<unsigned long long>(ordered(squared_norm - (dot + dot))) << 32 | unit;
}

/// Keeps the two least keys of both pairs.
__device__ void merge(BestKeys& best, const BestKeys& other) {
  // The second least is the lesser of both seconds, or the greater of both firsts.
  const unsigned long long rest = min(best.key[1], other.key[1]);
  best.key[1] = min(max(best.key[0], other.key[0]), rest);
  best.key[0] = min(best.key[0], other.key[0]);
}

__device__ void add_product(float4& sum, float value, const float4& weights) {
  sum.x += value * weights.x;
  sum.y += value * weights.y;
  sum.z += value * weights.z;
  sum.w += value * weights.w;
}

/// Where a row's entries wait for its threads: one chunk is read while the next loads. The padding
/// puts entries that the rows of a warp read at the same time into different banks.
struct RowStage {
  static constexpr unsigned kChunk = 16;  ///< entries
  SomEntry entry[2][kChunk];
  SomEntry padding[2];

  __device__ void fetch(const SomRowsView& rows, std::uint64_t begin, std::uint32_t i) {
    __pipeline_memcpy_async(&entry[i / kChunk % 2][i % kChunk], rows.entry + begin + i,
                            sizeof(SomEntry));
  }
  __device__ SomEntry at(std::uint32_t i) const { return entry[i / kChunk % 2][i % kChunk]; }
};

/// A block's shared memory: one stage per row, then the weights of near columns.
constexpr std::size_t kStageBytes = kRowsABlock * sizeof(RowStage);
constexpr std::size_t kLineBytes = kSliceUnits * sizeof(float);

/// Adds the products of entries [first, last) of the stage. weights[c * kRowLanes] are those of
/// column c; either all are in shared memory, or none.
__device__ void add_entries(const RowStage& stage, std::uint32_t first, std::uint32_t last,
                            const float4* weights, float4& sum) {
  std::uint32_t i = first;

  // All loads of a round are started before the first of them is needed. Products are still added
  // in the order of the columns.
  for (; i + kAhead <= last; i += kAhead) {
    SomEntry entry[kAhead];
    float4 weight[kAhead];
    for (unsigned j = 0; j < kAhead; ++j) entry[j] = stage.at(i + j);
    for (unsigned j = 0; j < kAhead; ++j) weight[j] = weights[entry[j].column * kRowLanes];
    for (unsigned j = 0; j < kAhead; ++j) add_product(sum, entry[j].value, weight[j]);
  }

  for (; i < last; ++i) {
    const SomEntry entry = stage.at(i);
    add_product(sum, entry.value, weights[entry.column * kRowLanes]);
  }
}

/// x.w of a row and four units. Near columns come first.
__device__ float4 dots(const SomRowsView& rows, std::uint32_t row, const float4* near,
                       const float4* weights, RowStage& stage) {
  const unsigned lane = threadIdx.x % kRowLanes;
  const unsigned together = ((1u << kRowLanes) - 1) << (threadIdx.x % 32 / kRowLanes * kRowLanes);
  const std::uint64_t begin = rows.begin(row);
  const std::uint32_t size = rows.size(row);
  const std::uint32_t near_size = rows.near_size(row);

  // The lanes of a row copy its entries into the stage, a chunk at a time.
  constexpr unsigned kChunk = RowStage::kChunk;
  const auto fetch = [&](std::uint32_t first) {
    for (std::uint32_t i = first + lane; i < min(first + kChunk, size); i += kRowLanes)
      stage.fetch(rows, begin, i);
    __pipeline_commit();
  };

  float4 sum{};
  fetch(0);

  // A chunk loads while the one before it is worked on. Entries go by columns, so those of near
  // columns, whose weights are in shared memory, come first.
  for (std::uint32_t first = 0; first < size; first += kChunk) {
    fetch(first + kChunk);
    __pipeline_wait_prior(1);
    __syncwarp(together);

    const std::uint32_t last = min(first + kChunk, size);
    const std::uint32_t middle = min(last, near_size);
    add_entries(stage, first, middle, near, sum);
    add_entries(stage, max(first, middle), last, weights, sum);

    // All lanes are done with the chunk before it is overwritten.
    __syncwarp(together);
  }

  return sum;
}

__global__ void __launch_bounds__(kMatchThreads, 1)
    match_kernel(SomRowsView rows, const std::uint32_t* order, SomMapView map,
                 std::uint32_t near_columns, BestKeys* best) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto& stage = reinterpret_cast<RowStage*>(shared)[threadIdx.x / kRowLanes];
  auto* near = reinterpret_cast<float4*>(shared + kStageBytes);
  const unsigned lane = threadIdx.x % kRowLanes;

  for (std::uint32_t slice = 0; slice < map.slices(); ++slice) {
    const auto* all =
        reinterpret_cast<const float4*>(map.weight) + std::size_t{slice} * map.columns * kRowLanes;

    // The near columns of the slice go to shared memory.
    __syncthreads();  // all are done with the slice before
    for (std::uint32_t i = threadIdx.x; i < near_columns * kRowLanes; i += kMatchThreads)
      near[i] = all[i];
    __syncthreads();

    const std::uint32_t unit = slice * kSliceUnits + lane * 4;
    const float4 norm = reinterpret_cast<const float4*>(map.squared_norm)[unit / 4];

    for (std::uint64_t first = std::uint64_t{blockIdx.x} * kRowsABlock; first < rows.rows;
         first += std::uint64_t{gridDim.x} * kRowsABlock) {
      const std::uint64_t place = first + threadIdx.x / kRowLanes;
      const bool is_row = place < rows.rows;

      // Keys of the lane's four units, and the two least of them. A lane without a row takes part,
      // since shuffles below need the whole warp.
      float4 dot{};
      if (is_row) dot = dots(rows, order[place], near + lane, all + lane, stage);
      BestKeys found = {key_of(norm.x, dot.x, unit), key_of(norm.y, dot.y, unit + 1)};
      if (found.key[1] < found.key[0]) {
        const unsigned long long less = found.key[1];
        found.key[1] = found.key[0];
        found.key[0] = less;
      }

      const unsigned long long z = key_of(norm.z, dot.z, unit + 2);
      const unsigned long long w = key_of(norm.w, dot.w, unit + 3);
      merge(found, {min(z, w), max(z, w)});

      // Then the two least of the row's lanes.
      for (unsigned apart = kRowLanes / 2; apart > 0; apart /= 2) {
        BestKeys other;
        for (int i = 0; i < 2; ++i) other.key[i] = __shfl_xor_sync(kWholeWarp, found.key[i], apart);
        merge(found, other);
      }

      // Slices come one after the other, and the row's best so far waits in memory. Only this block
      // has the row, in every slice, so nobody else writes there.
      if (!is_row || lane != 0) continue;
      if (slice > 0) merge(found, best[place]);
      best[place] = found;
    }
  }
}

__device__ std::uint32_t unit_of(unsigned long long key) {
  if (static_cast<std::uint32_t>(key >> 32) >= kOrderedInfinity) return SomMatch::kNoUnit;
  return static_cast<std::uint32_t>(key);
}

/// sqrt(|w|^2 - 2 x.w + |x|^2) in double, in the order of the columns.
__device__ double distance_of(const SomRowsView& rows, std::uint32_t row, const SomMapView& map,
                              std::uint32_t unit) {
  const float* weights = map.weight + map.place(unit, 0);
  const std::uint64_t begin = rows.begin(row);
  const std::uint32_t size = rows.size(row);

  // One thread adds up a whole row, so the rounding is that of the CPU.
  double dot = 0;
  double squared = 0;
#pragma unroll 8
  for (std::uint32_t i = 0; i < size; ++i) {
    const SomEntry entry = rows.at(begin, i);
    const double x = entry.value;
    dot += x * __ldg(weights + std::size_t{entry.column} * kSliceUnits);
    squared += x * x;
  }
  return sqrt(fmax(0.0, map.exact_norm[unit] - 2 * dot + squared));
}

__device__ bool is_torn(const SomMatch& match, const std::uint32_t* neighbors) {
  if (match.second == SomMatch::kNoUnit) return false;
  for (std::uint32_t i = 0; i < SomMatcher::kMostNeighbors; ++i)
    if (neighbors[std::size_t{match.unit} * SomMatcher::kMostNeighbors + i] == match.second)
      return false;
  return true;
}

/// The sum over a block, always added up in the same order. Thread 0 gets it.
__device__ double sum_of_block(double value) {
  // Lanes by a tree, then warps in their order: the rounding is always the same.
  __shared__ double sums[kFinishThreads / 32];
  for (unsigned apart = 16; apart > 0; apart /= 2)
    value += __shfl_xor_sync(kWholeWarp, value, apart);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();

  double sum = 0;
  if (threadIdx.x == 0)
    for (const double part : sums) sum += part;
  return sum;
}

/// One thread per row: turns keys into matches. One tally per block.
__global__ void finish_match_kernel(SomRowsView rows, const std::uint32_t* order, SomMapView map,
                                    const BestKeys* best, const std::uint32_t* neighbors,
                                    SomMatch* matches, BlockTally* tally) {
  const std::uint32_t place = blockIdx.x * kFinishThreads + threadIdx.x;
  double distance = 0;
  bool moved = false;
  bool torn = false;

  // Rows were matched by length; their matches go back to their own places. Where no score is below
  // infinity, the weights are too large to compare, and the first unit takes the row.
  if (place < rows.rows) {
    const std::uint32_t row = order[place];
    const std::uint32_t found = unit_of(best[place].key[0]);
    SomMatch match;
    match.unit = found == SomMatch::kNoUnit ? 0 : found;
    match.second = unit_of(best[place].key[1]);
    distance = distance_of(rows, row, map, match.unit);
    match.distance = distance;

    // The last match of the row is still there.
    moved = matches[row].unit != match.unit;
    torn = is_torn(match, neighbors);
    matches[row] = match;
  }

  // Threads past the last row take part with zeros, as sums are over whole blocks.
  const double sum = sum_of_block(distance);
  const int moves = __syncthreads_count(moved);
  const int tears = __syncthreads_count(torn);
  if (threadIdx.x == 0)
    tally[blockIdx.x] = {sum, static_cast<std::uint32_t>(moves), static_cast<std::uint32_t>(tears)};
}

std::uint32_t finish_blocks(std::uint32_t rows) {
  return (rows + kFinishThreads - 1) / kFinishThreads;
}

}  // namespace

KernelCode SomMatcher::code(const Device& device) {
  return code_of(device, reinterpret_cast<const void*>(match_kernel));
}

std::uint32_t SomMatcher::near_columns(const Device& device) {
  return static_cast<std::uint32_t>((device.shared_per_block() - kStageBytes) / kLineBytes);
}

void SomMatcher::reserve(std::uint32_t rows) {
  best_.reserve(device_, rows);
  tally_.reserve(device_, finish_blocks(rows));
}

SomTally SomMatcher::match(const DeviceSomRows& rows, const SomMapView& map,
                           const std::uint32_t* neighbors, SomMatch* matches) {
  const SomRowsView& view = rows.view();
  if (view.rows == 0) return {};

  reserve(view.rows);
  const cudaStream_t stream = device_->stream();

  // One block for each multiprocessor, which takes its rows through all slices, with as many near
  // columns as shared memory holds beside the stages.
  const unsigned blocks = std::min((view.rows + kRowsABlock - 1) / kRowsABlock,
                                   static_cast<unsigned>(device_->multiprocessors()));
  const std::uint32_t near = std::min(map.columns, near_columns(*device_));
  const std::size_t shared = kStageBytes + near * kLineBytes;
  cuda_check(cudaFuncSetAttribute(match_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared)),
             "match of a map");

  match_kernel<<<blocks, kMatchThreads, shared, stream>>>(view, rows.order(), map, near,
                                                          best_.data());
  launch_check("match_kernel");

  finish_match_kernel<<<finish_blocks(view.rows), kFinishThreads, 0, stream>>>(
      view, rows.order(), map, best_.data(), neighbors, matches, tally_.data());
  launch_check("finish_match_kernel");

  // Blocks are added in their order, so the sum of distances has the same bits each time.
  SomTally sum;
  sum.rows = view.rows;
  for (const BlockTally& block :
       download(*device_, tally_.data(), finish_blocks(view.rows), "match of a map")) {
    sum.distance += block.distance;
    sum.moved += block.moved;
    sum.torn += block.torn;
  }
  return sum;
}

}  // namespace kindred::cuda
