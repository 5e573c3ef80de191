// Sums of rows by unit, as integers on the grid of SomGrid, in any order.
// Floor: the rows once, and a column of sums read and written for each unit that has rows.
// Shape: a sort orders the rows by unit. There is one block per segment of up to 1,023 rows of a
// unit, whose sums fit 32 bits. All warps add rows to sums in shared memory, a lane per entry. Then
// the block adds what is not 0 to the unit's sums: at once if the unit is narrow, since it has no
// other block then, else by atomic additions of 64 bits.
#include "gpu/cuda/som/sums.cuh"

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "gpu/cuda/device/launch.cuh"

namespace kindred::cuda {
namespace {

constexpr unsigned kWarp = 32;
constexpr unsigned kSegmentWarps = 16;
constexpr unsigned kSegmentThreads = kSegmentWarps * kWarp;
constexpr unsigned kRowsAhead = 4;     // rows of a warp that load at once
constexpr unsigned kEntriesAhead = 3;  // of each, by every lane
constexpr unsigned kCountThreads = 1024;
constexpr std::uint32_t kUnitsInShared = 4096;

/// Counts where the rows of a block go: in shared memory, as a few units may have most of the rows.
__global__ void __launch_bounds__(kCountThreads)
    count_hits_in_shared_kernel(const SomMatch* matches, std::uint32_t rows, std::uint32_t units,
                                std::uint32_t* hits) {
  __shared__ std::uint32_t counts[kUnitsInShared];

  // Counts of the block first, so that units that have many rows are not touched in memory by every
  // row.
  for (std::uint32_t u = threadIdx.x; u < units; u += kCountThreads) counts[u] = 0;
  __syncthreads();

#pragma unroll 4
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kCountThreads + threadIdx.x; i < rows;
       i += std::uint64_t{gridDim.x} * kCountThreads)
    atomicAdd(&counts[matches[i].unit], 1u);
  __syncthreads();

  for (std::uint32_t u = threadIdx.x; u < units; u += kCountThreads)
    if (counts[u] > 0) atomicAdd(&hits[u], counts[u]);
}

/// Counts where there are more units than fit shared memory.
__global__ void count_hits_kernel(const SomMatch* matches, std::uint32_t rows,
                                  std::uint32_t* hits) {
  const std::uint32_t i = blockIdx.x * kBlockThreads + threadIdx.x;
  if (i < rows) atomicAdd(&hits[matches[i].unit], 1u);
}

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
  if (u <= units)
    begin[u] = find_first(rows, [&](std::uint32_t place) {
      // A unit without rows begins where the next one does.
      return sorted[place] < u;
    });
}

/// A lane's entries of a row, kWarp apart; column UINT32_MAX where there is none.
struct LaneEntries {
  SomEntry entry[kEntriesAhead];
};

__device__ LaneEntries fetch(const SomRowsView& rows, std::uint64_t begin, std::uint32_t size,
                             unsigned lane) {
  LaneEntries fetched;
  for (unsigned k = 0; k < kEntriesAhead; ++k) {
    const std::uint32_t i = lane + k * kWarp;
    fetched.entry[k] = {UINT32_MAX, 0};
    if (i < size) fetched.entry[k] = rows.at(begin, i);
  }
  return fetched;
}

/// Adds a segment's rows to the sums of columns from `first` on. Warp w has members w, w + 16, ...
__device__ void add_members(const SomRowsView& rows, const std::uint32_t* members,
                            std::uint32_t count, float scale, std::uint32_t first,
                            std::uint32_t columns, std::int32_t* sums) {
  const unsigned warp = threadIdx.x / kWarp;
  const unsigned lane = threadIdx.x % kWarp;
  // The subtraction wraps around below `first`, so one comparison finds the columns of this part.
  const auto add = [&](const SomEntry& entry) {
    if (entry.column - first < columns)
      atomicAdd(&sums[entry.column - first], __float2int_rn(entry.value * scale));
  };

  // A lane looks up where one of the warp's next rows begins; the rows are then taken in fours.
  for (std::uint32_t base = warp; base < count; base += kWarp * kSegmentWarps) {
    const std::uint32_t own = base + lane * kSegmentWarps;
    std::uint64_t own_begin = 0;
    std::uint32_t own_size = 0;
    if (own < count) {
      own_begin = rows.begin(members[own]);
      own_size = rows.size(members[own]);
    }

    // Four rows load at once. Each lane's first entries go to registers, and longer rows are read
    // to their end afterwards.
    for (unsigned m = 0; m < kWarp && base + m * kSegmentWarps < count; m += kRowsAhead) {
      std::uint64_t begin[kRowsAhead];
      std::uint32_t size[kRowsAhead];
      LaneEntries fetched[kRowsAhead];
      for (unsigned q = 0; q < kRowsAhead; ++q) {
        begin[q] = __shfl_sync(kWholeWarp, own_begin, m + q);
        size[q] = __shfl_sync(kWholeWarp, own_size, m + q);
        fetched[q] = fetch(rows, begin[q], size[q], lane);
      }

      // Rows past the last have no entries: their size is 0.
      for (unsigned q = 0; q < kRowsAhead; ++q) {
        for (const SomEntry& entry : fetched[q].entry) add(entry);
        for (std::uint32_t i = lane + kEntriesAhead * kWarp; i < size[q]; i += kWarp)
          add(rows.at(begin[q], i));
      }
    }
  }
}

__device__ void add_wide(const SomMapView& map, std::uint32_t slot, std::uint32_t column,
                         std::int64_t sum) {
  static_assert(sizeof(unsigned long long) == sizeof(std::int64_t));
  atomicAdd(reinterpret_cast<unsigned long long*>(&map.wide_sum(slot, column)),
            static_cast<unsigned long long>(sum));
}

/// One block per segment. `at_once` columns fit its shared memory.
__global__ void __launch_bounds__(kSegmentThreads)
    add_rows_kernel(SomRowsView rows, const std::uint32_t* row_by_unit, const SomSegment* segments,
                    SomMapView map, std::uint32_t at_once) {
  extern __shared__ std::int32_t sums[];
  const SomSegment segment = segments[blockIdx.x];
  const SomUnitGrid grid = map.grid[segment.unit];

  // Columns go through shared memory in as many parts as it takes.
  for (std::uint32_t first = 0; first < map.columns; first += at_once) {
    const std::uint32_t columns = min(at_once, map.columns - first);
    for (std::uint32_t c = threadIdx.x; c < columns; c += kSegmentThreads) sums[c] = 0;
    __syncthreads();
    add_members(rows, row_by_unit + segment.first, segment.size, grid.scale, first, columns, sums);
    __syncthreads();

    // Most sums of a segment are 0, and these cost no memory access.
    for (std::uint32_t c = threadIdx.x; c < columns; c += kSegmentThreads) {
      if (sums[c] == 0) continue;
      if (grid.slot == SomGrid::kNarrow) {
        map.narrow_sum(segment.unit, first + c) += sums[c];
      } else {
        add_wide(map, grid.slot, first + c, sums[c]);
      }
    }

    __syncthreads();
  }
}

/// How the members of all units fall into segments.
std::vector<SomSegment> plan_segments(const std::vector<std::uint32_t>& begin) {
  std::vector<SomSegment> segments;
  for (std::uint32_t u = 0; u + 1 < begin.size(); ++u)
    for (std::uint32_t first = begin[u]; first < begin[u + 1]; first += SomGrid::kNarrowRows)
      segments.push_back({u, first, std::min(SomGrid::kNarrowRows, begin[u + 1] - first)});
  return segments;
}

}  // namespace

void SomAccumulator::reserve(const SomMapView& map, std::uint32_t rows) {
  for (auto* buffer : {&unit_, &unit_sorted_, &row_, &row_by_unit_}) buffer->reserve(device_, rows);
  begin_.reserve(device_, std::size_t{map.units} + 1);
  hits_.reserve(device_, map.units);

  // A unit has at most one segment that is not full.
  segment_.reserve(device_, std::min<std::size_t>(map.units, rows) + rows / SomGrid::kNarrowRows);
}

void SomAccumulator::count_hits(const SomMatch* matches, std::uint32_t rows,
                                std::span<std::int64_t> hits) {
  if (rows == 0) return;

  const cudaStream_t stream = device_->stream();
  hits_.reserve(device_, hits.size());
  cuda_check(cudaMemsetAsync(hits_.data(), 0, hits_.bytes(), stream), "hits of a map");

  // Where counts of all units fit shared memory, blocks count there.
  const auto units = static_cast<std::uint32_t>(hits.size());
  if (units <= kUnitsInShared) {
    const unsigned blocks = std::min(blocks_for(rows, kCountThreads),
                                     static_cast<unsigned>(device_->multiprocessors()) * 2);
    count_hits_in_shared_kernel<<<blocks, kCountThreads, 0, stream>>>(matches, rows, units,
                                                                      hits_.data());
    launch_check("count_hits_in_shared_kernel");
  } else {
    count_hits_kernel<<<blocks_for(rows), kBlockThreads, 0, stream>>>(matches, rows, hits_.data());
    launch_check("count_hits_kernel");
  }

  const std::vector<std::uint32_t> counted =
      download(*device_, hits_.data(), hits.size(), "hits of a map");
  for (std::size_t u = 0; u < hits.size(); ++u) {
    hits[u] += counted[u];
  }
}

/// Sorts the rows by unit and cuts them into segments.
std::vector<SomSegment> SomAccumulator::group(const SomMatch* matches, std::uint32_t rows,
                                              std::uint32_t units) {
  const cudaStream_t stream = device_->stream();
  list_units_kernel<<<blocks_for(rows), kBlockThreads, 0, stream>>>(matches, rows, unit_.data(),
                                                                    row_.data());
  launch_check("list_units_kernel");

  // Only the bits that numbers of units have are sorted. The order within a unit does not matter,
  // since integers are added.
  with_scratch(device_, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(
        scratch, bytes, unit_.data(), unit_sorted_.data(), row_.data(), row_by_unit_.data(), rows,
        0, std::max(1, static_cast<int>(std::bit_width(units - 1))), stream);
  });

  find_units_kernel<<<blocks_for(units + std::uint64_t{1}), kBlockThreads, 0, stream>>>(
      unit_sorted_.data(), rows, units, begin_.data());
  launch_check("find_units_kernel");

  return plan_segments(download(*device_, begin_.data(), units + std::size_t{1}, "sums of a map"));
}

void SomAccumulator::add(const DeviceSomRows& rows, const SomMatch* matches,
                         const SomMapView& map) {
  const std::uint32_t count = rows.view().rows;
  if (count == 0) return;

  reserve(map, count);
  const std::vector<SomSegment> segments = group(matches, count, map.units);
  copy_values(segment_.data(), segments.data(), segments.size(), device_->stream(),
              "sums of a map");

  // As many columns as fit shared memory go at once.
  const auto at_once = static_cast<std::uint32_t>(
      std::min<std::size_t>(map.columns, device_->shared_per_block() / sizeof(std::int32_t)));
  const std::size_t bytes = at_once * sizeof(std::int32_t);
  cuda_check(cudaFuncSetAttribute(add_rows_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             "sums of a map");

  add_rows_kernel<<<static_cast<unsigned>(segments.size()), kSegmentThreads, bytes,
                    device_->stream()>>>(rows.view(), row_by_unit_.data(), segment_.data(), map,
                                         at_once);
  launch_check("add_rows_kernel");

  // The host's list of segments must last until the device has read it.
  device_->stream().wait("sums of a map");
}

}  // namespace kindred::cuda
