// The two nearest units of each row.
// Floor: a weight of a row meets every unit, so nonzeros x units x 4 bytes come out of the caches,
// 128 bytes a cycle and multiprocessor from the first level, and nonzeros x slices x 8 bytes of
// rows out of memory. Shape: eight threads a row, four units each, so that a row's weight fetches
// one whole line of a slice, four rows a warp. A block takes its rows through one slice after the
// other: what is frequent in a slice stays in the first-level cache, the slice in the second.
// Every x.w is added up in the order of the columns, one rounding a multiplication and one an
// addition, as on the CPU.
#include "gpu/cuda/som_match.cuh"

#include <algorithm>
#include <cmath>

namespace kindred::cuda {
namespace {

using Best = SomMatcher::Best;
using BlockTally = SomMatcher::BlockTally;

constexpr unsigned kMatchThreads = 512, kMatchBlocks = 2;
constexpr unsigned kRowLanes = kSliceUnits / 4;
constexpr unsigned kRowsABlock = kMatchThreads / kRowLanes;
constexpr unsigned kFinishThreads = 256;
constexpr unsigned kAhead = 4;  // entries that are on their way at once
constexpr unsigned kEveryone = 0xffffffffu;

/// Ascends as the floats do.
__device__ std::uint32_t ordered(float value) {
  const std::uint32_t bits = __float_as_uint(value);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
constexpr std::uint32_t kOrderedInfinity = 0xff800000u;  // and NaN above

__device__ unsigned long long key_of(float squared_norm, float dot, std::uint32_t unit) {
  return static_cast<unsigned long long>(ordered(squared_norm - (dot + dot))) << 32 | unit;
}

/// Takes what is less of another pair.
__device__ void merge(Best& best, const Best& other) {
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

/// x.w of a row and four units, whose weights in column c are weights[c * kRowLanes].
template <typename Rows>
__device__ float4 dots(const Rows& rows, std::uint32_t row, const float4* weights) {
  float4 sum{};
  const std::uint64_t begin = rows.begin(row);
  const std::uint32_t size = rows.size(row), whole = size / kAhead * kAhead;
  SomEntry next[kAhead];
  if (whole > 0)
    for (unsigned j = 0; j < kAhead; ++j) next[j] = rows.at(begin, j);
  for (std::uint32_t i = 0; i < whole; i += kAhead) {
    float value[kAhead];
    float4 weight[kAhead];
    for (unsigned j = 0; j < kAhead; ++j) {
      value[j] = next[j].value;
      weight[j] = __ldg(weights + std::size_t{next[j].column} * kRowLanes);
    }
    if (i + kAhead < whole)
      for (unsigned j = 0; j < kAhead; ++j) next[j] = rows.at(begin, i + kAhead + j);
    for (unsigned j = 0; j < kAhead; ++j) add_product(sum, value[j], weight[j]);
  }
  for (std::uint32_t i = whole; i < size; ++i) {
    const SomEntry entry = rows.at(begin, i);
    add_product(sum, entry.value, __ldg(weights + std::size_t{entry.column} * kRowLanes));
  }
  return sum;
}

template <typename Rows>
__global__ void __launch_bounds__(kMatchThreads, kMatchBlocks)
    match_kernel(Rows rows, const std::uint32_t* order, SomMapView map, Best* best) {
  const unsigned lane = threadIdx.x % kRowLanes;
  for (std::uint32_t slice = 0; slice < map.slices(); ++slice) {
    const auto* weights = reinterpret_cast<const float4*>(map.weight) +
                          std::size_t{slice} * map.columns * kRowLanes + lane;
    const std::uint32_t unit = slice * kSliceUnits + lane * 4;
    const float4 norm = reinterpret_cast<const float4*>(map.squared_norm)[unit / 4];
    for (std::uint64_t first = std::uint64_t{blockIdx.x} * kRowsABlock; first < rows.rows;
         first += std::uint64_t{gridDim.x} * kRowsABlock) {
      const std::uint64_t place = first + threadIdx.x / kRowLanes;
      const bool is_row = place < rows.rows;
      float4 dot{};
      if (is_row) dot = dots(rows, order != nullptr ? order[place] : place, weights);
      Best found = {key_of(norm.x, dot.x, unit), key_of(norm.y, dot.y, unit + 1)};
      if (found.key[1] < found.key[0]) {
        const unsigned long long less = found.key[1];
        found.key[1] = found.key[0];
        found.key[0] = less;
      }
      const unsigned long long z = key_of(norm.z, dot.z, unit + 2),
                               w = key_of(norm.w, dot.w, unit + 3);
      merge(found, {min(z, w), max(z, w)});
      for (unsigned apart = kRowLanes / 2; apart > 0; apart /= 2) {
        Best other;
        for (int i = 0; i < 2; ++i) other.key[i] = __shfl_xor_sync(kEveryone, found.key[i], apart);
        merge(found, other);
      }
      if (!is_row || lane != 0) continue;
      if (slice > 0) merge(found, best[place]);
      best[place] = found;
    }
  }
}

__device__ std::uint32_t unit_of(unsigned long long key) {
  return static_cast<std::uint32_t>(key >> 32) < kOrderedInfinity ? static_cast<std::uint32_t>(key)
                                                                  : SomMatch::kNoUnit;
}

/// sqrt(|w|^2 - 2 x.w + |x|^2) in double, in the order of the columns.
template <typename Rows>
__device__ double distance_of(const Rows& rows, std::uint32_t row, const SomMapView& map,
                              std::uint32_t unit) {
  const float* weights = map.weight + map.place(unit, 0);
  const std::uint64_t begin = rows.begin(row);
  const std::uint32_t size = rows.size(row);
  double dot = 0, squared = 0;
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

/// The sum over a block, added up in one order; for thread 0.
__device__ double sum_of_block(double value) {
  __shared__ double sums[kFinishThreads / 32];
  for (unsigned apart = 16; apart > 0; apart /= 2)
    value += __shfl_xor_sync(kEveryone, value, apart);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0;
  if (threadIdx.x == 0)
    for (const double part : sums) sum += part;
  return sum;
}

/// A thread a row: from keys to matches, and their tally by block.
template <typename Rows>
__global__ void finish_match_kernel(Rows rows, const std::uint32_t* order, SomMapView map,
                                    const Best* best, const std::uint32_t* neighbors,
                                    SomMatch* matches, BlockTally* tally) {
  const std::uint32_t place = blockIdx.x * kFinishThreads + threadIdx.x;
  double distance = 0;
  bool moved = false, torn = false;
  if (place < rows.rows) {
    const std::uint32_t row = order != nullptr ? order[place] : place;
    const std::uint32_t found = unit_of(best[place].key[0]);
    SomMatch match;
    match.unit = found == SomMatch::kNoUnit ? 0 : found;
    match.second = unit_of(best[place].key[1]);
    match.distance = distance = distance_of(rows, row, map, match.unit);
    moved = matches[row].unit != match.unit;
    torn = is_torn(match, neighbors);
    matches[row] = match;
  }
  const double sum = sum_of_block(distance);
  const int moves = __syncthreads_count(moved), tears = __syncthreads_count(torn);
  if (threadIdx.x == 0)
    tally[blockIdx.x] = {sum, static_cast<std::uint32_t>(moves), static_cast<std::uint32_t>(tears)};
}

std::uint32_t finish_blocks(std::uint32_t rows) {
  return (rows + kFinishThreads - 1) / kFinishThreads;
}

}  // namespace

void SomMatcher::reserve(std::uint32_t rows) {
  best_.reserve(device_, rows);
  tally_.reserve(device_, finish_blocks(rows));
}

template <typename Rows>
void SomMatcher::launch(const Rows& rows, const std::uint32_t* order, const SomMapView& map,
                        const std::uint32_t* neighbors, SomMatch* matches) {
  const cudaStream_t stream = device_->stream();
  const unsigned blocks =
      std::min((rows.rows + kRowsABlock - 1) / kRowsABlock,
               kMatchBlocks * static_cast<unsigned>(device_->multiprocessors()));
  match_kernel<<<blocks, kMatchThreads, 0, stream>>>(rows, order, map, best_.data());
  launch_check("match_kernel");
  finish_match_kernel<<<finish_blocks(rows.rows), kFinishThreads, 0, stream>>>(
      rows, order, map, best_.data(), neighbors, matches, tally_.data());
  launch_check("finish_match_kernel");
}

SomTally SomMatcher::match(const DeviceSomRows& rows, const SomMapView& map,
                           const std::uint32_t* neighbors, SomMatch* matches) {
  const std::uint32_t count = std::visit([](const auto& view) { return view.rows; }, rows.view());
  if (count == 0) return {};
  reserve(count);
  std::visit([&](const auto& view) { launch(view, rows.order(), map, neighbors, matches); },
             rows.view());
  host_tally_.resize(finish_blocks(count));
  cuda_check(
      cudaMemcpyAsync(host_tally_.data(), tally_.data(), host_tally_.size() * sizeof(BlockTally),
                      cudaMemcpyDeviceToHost, device_->stream()),
      "match of a map");
  cuda_check(cudaStreamSynchronize(device_->stream()), "match of a map");
  SomTally sum;
  sum.rows = count;
  for (const BlockTally& block : host_tally_) {
    sum.distance += block.distance;
    sum.moved += block.moved;
    sum.torn += block.torn;
  }
  return sum;
}

}  // namespace kindred::cuda
