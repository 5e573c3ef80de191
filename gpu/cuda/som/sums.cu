// Sums of rows by unit, in the order that SomPart says.
// Floor: the rows once, and a column of sums read and written for each unit that has rows.
// Shape: a stable sort orders the rows by unit. There is one block per segment of 1,024 rows of a
// unit.
// - Sparse rows: one warp adds row after row to sums in shared memory, while the next four rows
//   load. No two entries of a row go to the same sum.
// - Dense rows: one thread per column.
#include "gpu/cuda/som/sums.cuh"

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/device/scratch.cuh"

namespace kindred::cuda {
namespace {

constexpr unsigned kSegmentThreads = 512;
constexpr unsigned kWarp = 32;
constexpr unsigned kRowsAhead = 4;             // rows of a segment that load at once
constexpr unsigned kEntriesAhead = 3;          // of each, by every lane
constexpr std::uint32_t kAtOnce = UINT32_MAX;  // place of a segment that goes to its unit's sum

__global__ void list_units_kernel(const SomMatch* matches, std::uint32_t rows, std::uint32_t* unit,
                                  std::uint32_t* row) {
  const std::uint32_t i = blockIdx.x * kBlockThreads + threadIdx.x;
  if (i >= rows) return;
  unit[i] = matches[i].unit;
  row[i] = i;
}

/// begin[u]: the first place whose unit is not below u; for u = units, `rows`.
__global__ void find_units_kernel(const std::uint32_t* sorted, std::uint32_t rows,
                                  std::uint32_t units, std::uint32_t* begin) {
  const std::uint32_t u = blockIdx.x * kBlockThreads + threadIdx.x;
  if (u > units) return;
  std::uint32_t low = 0, high = rows;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (sorted[middle] < u) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  begin[u] = low;
}

/// A lane's entries of a row, kWarp apart; column UINT32_MAX where there is none.
struct LaneEntries {
  SomEntry entry[kEntriesAhead];
};

__device__ LaneEntries fetch(const SparseSomView& rows, std::uint64_t begin, std::uint32_t size) {
  LaneEntries fetched;
  for (unsigned k = 0; k < kEntriesAhead; ++k) {
    const std::uint32_t i = threadIdx.x + k * kWarp;
    fetched.entry[k] = i < size ? rows.at(begin, i) : SomEntry{UINT32_MAX, 0};
  }
  return fetched;
}

/// By one warp: adds a segment's rows, in their order, to the sums of columns from `first` on.
__device__ void add_members(const SparseSomView& rows, const std::uint32_t* members,
                            std::uint32_t count, std::uint32_t first, std::uint32_t columns,
                            float* sums) {
  const auto add = [&](const SomEntry& entry) {
    if (entry.column - first < columns) sums[entry.column - first] += entry.value;
  };
  for (std::uint32_t base = 0; base < count; base += kWarp) {
    std::uint64_t own_begin = 0;
    std::uint32_t own_size = 0;
    if (base + threadIdx.x < count) {
      const std::uint32_t row = members[base + threadIdx.x];
      own_begin = rows.begin(row);
      own_size = rows.size(row);
    }
    for (unsigned m = 0; m < kWarp && base + m < count; m += kRowsAhead) {
      std::uint64_t begin[kRowsAhead];
      std::uint32_t size[kRowsAhead];
      LaneEntries fetched[kRowsAhead];
      for (unsigned q = 0; q < kRowsAhead; ++q) {
        begin[q] = __shfl_sync(kWholeWarp, own_begin, m + q);
        size[q] = __shfl_sync(kWholeWarp, own_size, m + q);
        fetched[q] = fetch(rows, begin[q], size[q]);
      }
      for (unsigned q = 0; q < kRowsAhead; ++q) {
        for (const SomEntry& entry : fetched[q].entry) add(entry);
        for (std::uint32_t i = threadIdx.x + kEntriesAhead * kWarp; i < size[q]; i += kWarp)
          add(rows.at(begin[q], i));
        __syncwarp();
      }
    }
  }
}

/// One block per segment. `at_once` columns fit its shared memory.
__global__ void add_sparse_kernel(SparseSomView rows, const std::uint32_t* row_by_unit,
                                  const SomSegment* segments, SomMapView map, std::uint32_t at_once,
                                  float* waiting) {
  extern __shared__ float sums[];
  const SomSegment segment = segments[blockIdx.x];
  for (std::uint32_t first = 0; first < map.columns; first += at_once) {
    const std::uint32_t columns = min(at_once, map.columns - first);
    float* target = map.sum + std::size_t{segment.unit} * map.columns + first;
    if (segment.place != kAtOnce)
      target = waiting + std::size_t{segment.place} * map.columns + first;
#pragma unroll 8
    for (std::uint32_t c = threadIdx.x; c < columns; c += kSegmentThreads)
      sums[c] = segment.place == kAtOnce ? target[c] : 0;
    __syncthreads();
    if (threadIdx.x < kWarp)
      add_members(rows, row_by_unit + segment.first, segment.size, first, columns, sums);
    __syncthreads();
    for (std::uint32_t c = threadIdx.x; c < columns; c += kSegmentThreads) target[c] = sums[c];
    __syncthreads();
  }
}

__global__ void add_dense_kernel(DenseSomView rows, const std::uint32_t* row_by_unit,
                                 const SomSegment* segments, double* waiting) {
  const std::uint32_t column = blockIdx.y * blockDim.x + threadIdx.x;
  if (column >= rows.columns) return;
  const SomSegment segment = segments[blockIdx.x];
  const std::uint32_t* members = row_by_unit + segment.first;
  double sum = 0;
#pragma unroll 8
  for (std::uint32_t m = 0; m < segment.size; ++m)
    sum += __ldg(rows.value + std::size_t{members[m]} * rows.columns + column);
  waiting[std::size_t{segment.place} * rows.columns + column] = sum;
}

/// Adds what waits to the sums of units. Sums in float are added one after the other; sums in
/// double are added to each other first.
__global__ void fold_kernel(const SomFold* folds, SomMapView map, const float* waiting) {
  const std::uint32_t column = blockIdx.y * kBlockThreads + threadIdx.x;
  if (column >= map.columns) return;
  const SomFold fold = folds[blockIdx.x];
  float& target = map.sum[std::size_t{fold.unit} * map.columns + column];
  float sum = target;
  for (std::uint32_t i = 0; i < fold.size; ++i)
    sum += waiting[(std::size_t{fold.first} + i) * map.columns + column];
  target = sum;
}

__global__ void fold_kernel(const SomFold* folds, SomMapView map, const double* waiting) {
  const std::uint32_t column = blockIdx.y * kBlockThreads + threadIdx.x;
  if (column >= map.columns) return;
  const SomFold fold = folds[blockIdx.x];
  double sum = 0;
  for (std::uint32_t i = 0; i < fold.size; ++i)
    sum += waiting[(std::size_t{fold.first} + i) * map.columns + column];
  map.sum[std::size_t{fold.unit} * map.columns + column] += static_cast<float>(sum);
}

/// How the members of all units fall into segments.
struct SegmentPlan {
  std::vector<SomSegment> segments;
  std::vector<SomFold> folds;
  std::uint32_t waiting = 0;
};

/// With `first_at_once` the first segment of a unit goes to its sums directly.
SegmentPlan plan_segments(const std::vector<std::uint32_t>& begin, bool first_at_once) {
  SegmentPlan plan;
  for (std::uint32_t u = 0; u + 1 < begin.size(); ++u) {
    SomFold fold = {u, plan.waiting, 0};
    for (std::uint32_t first = begin[u]; first < begin[u + 1]; first += kSomSegment) {
      const bool at_once = first_at_once && first == begin[u];
      plan.segments.push_back({u, first, std::min(kSomSegment, begin[u + 1] - first),
                               at_once ? kAtOnce : plan.waiting + fold.size});
      if (!at_once) ++fold.size;
    }
    if (fold.size > 0) plan.folds.push_back(fold);
    plan.waiting += fold.size;
  }
  return plan;
}

}  // namespace

void SomAccumulator::reserve(const SomMapView& map, std::uint32_t rows) {
  for (auto* buffer : {&unit_, &unit_sorted_, &row_, &row_by_unit_}) buffer->reserve(device_, rows);
  begin_.reserve(device_, std::size_t{map.units} + 1);
}

/// Sorts the rows by unit. Returns where each unit begins.
std::vector<std::uint32_t> SomAccumulator::group(const SomMatch* matches, std::uint32_t rows,
                                                 std::uint32_t units) {
  const cudaStream_t stream = device_->stream();
  list_units_kernel<<<blocks_for(rows), kBlockThreads, 0, stream>>>(matches, rows, unit_.data(),
                                                                    row_.data());
  launch_check("list_units_kernel");
  with_scratch(device_, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(
        scratch, bytes, unit_.data(), unit_sorted_.data(), row_.data(), row_by_unit_.data(), rows,
        0, std::max(1, static_cast<int>(std::bit_width(units - 1))), stream);
  });
  find_units_kernel<<<blocks_for(units + std::uint64_t{1}), kBlockThreads, 0, stream>>>(
      unit_sorted_.data(), rows, units, begin_.data());
  launch_check("find_units_kernel");
  std::vector<std::uint32_t> begin(units + std::size_t{1});
  cuda_check(cudaMemcpyAsync(begin.data(), begin_.data(), begin.size() * sizeof(begin[0]),
                             cudaMemcpyDeviceToHost, stream),
             "sums of a map");
  cuda_check(cudaStreamSynchronize(stream), "sums of a map");
  return begin;
}

template <typename T>
const T* SomAccumulator::send(const std::vector<T>& host, DeviceBuffer<T>& buffer) {
  buffer.reserve(device_, host.size());
  cuda_check(cudaMemcpyAsync(buffer.data(), host.data(), host.size() * sizeof(T),
                             cudaMemcpyHostToDevice, device_->stream()),
             "sums of a map");
  return buffer.data();
}

void SomAccumulator::add_rows(const SparseSomView& rows, const SomMapView& map,
                              const std::vector<std::uint32_t>& begin) {
  const cudaStream_t stream = device_->stream();
  const SegmentPlan plan = plan_segments(begin, true);
  waiting_.reserve(device_, std::size_t{plan.waiting} * map.columns);
  const auto at_once = static_cast<std::uint32_t>(
      std::min<std::size_t>(map.columns, device_->shared_per_block() / sizeof(float)));
  const std::size_t bytes = at_once * sizeof(float);
  cuda_check(cudaFuncSetAttribute(add_sparse_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             "sums of a map");
  add_sparse_kernel<<<static_cast<unsigned>(plan.segments.size()), kSegmentThreads, bytes,
                      stream>>>(rows, row_by_unit_.data(), send(plan.segments, segment_), map,
                                at_once, waiting_.data());
  launch_check("add_sparse_kernel");
  if (!plan.folds.empty()) {
    const dim3 grid(static_cast<unsigned>(plan.folds.size()), blocks_for(map.columns));
    fold_kernel<<<grid, kBlockThreads, 0, stream>>>(send(plan.folds, fold_), map, waiting_.data());
    launch_check("fold_kernel");
  }
  cuda_check(cudaStreamSynchronize(stream), "sums of a map");
}

void SomAccumulator::add_rows(const DenseSomView& rows, const SomMapView& map,
                              const std::vector<std::uint32_t>& begin) {
  const cudaStream_t stream = device_->stream();
  const SegmentPlan plan = plan_segments(begin, false);
  waiting_dense_.reserve(device_, std::size_t{plan.waiting} * map.columns);
  const unsigned threads = std::min(kBlockThreads, (map.columns + kWarp - 1) / kWarp * kWarp);
  const dim3 grid(static_cast<unsigned>(plan.segments.size()), blocks_for(map.columns, threads));
  add_dense_kernel<<<grid, threads, 0, stream>>>(
      rows, row_by_unit_.data(), send(plan.segments, segment_), waiting_dense_.data());
  launch_check("add_dense_kernel");
  const dim3 fold_grid(static_cast<unsigned>(plan.folds.size()), blocks_for(map.columns));
  fold_kernel<<<fold_grid, kBlockThreads, 0, stream>>>(send(plan.folds, fold_), map,
                                                       waiting_dense_.data());
  launch_check("fold_kernel");
  cuda_check(cudaStreamSynchronize(stream), "sums of a map");
}

void SomAccumulator::add(const DeviceSomRows& rows, const SomMatch* matches, const SomMapView& map,
                         std::vector<std::uint64_t>& hits) {
  const std::uint32_t count = std::visit([](const auto& view) { return view.rows; }, rows.view());
  if (count == 0) return;
  reserve(map, count);
  const std::vector<std::uint32_t> begin = group(matches, count, map.units);
  for (std::uint32_t u = 0; u < map.units; ++u) hits[u] += begin[u + std::size_t{1}] - begin[u];
  std::visit([&](const auto& view) { add_rows(view, map, begin); }, rows.view());
}

}  // namespace kindred::cuda
