#include "gpu/cuda/som/rows.cuh"

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "gpu/cuda/device/launch.cuh"

namespace kindred::cuda {
namespace {

constexpr std::uint64_t kEntriesAtOnce = std::uint64_t{1} << 24;

__global__ void pair_up_kernel(const std::uint32_t* column, const float* value, std::uint64_t size,
                               SomEntry* entry) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kBlockThreads + threadIdx.x;
  if (i < size) entry[i] = {column[i], value[i]};
}

/// The largest of the values' bits without sign, which compare as the absolute values do.
__global__ void find_largest_kernel(const SomEntry* entry, std::uint64_t size,
                                    std::uint32_t* largest) {
  std::uint32_t bits = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kBlockThreads + threadIdx.x; i < size;
       i += std::uint64_t{gridDim.x} * kBlockThreads)
    bits = max(bits, __float_as_uint(entry[i].value) & 0x7fffffffu);

  for (unsigned apart = 16; apart > 0; apart /= 2)
    bits = max(bits, __shfl_xor_sync(kWholeWarp, bits, apart));
  if (threadIdx.x % 32 == 0) atomicMax(largest, bits);
}

/// One thread per row: writes its length, the number of its near entries, and its own number.
__global__ void measure_rows_kernel(SomRowsView rows, std::uint32_t near_columns,
                                    std::uint32_t* length, std::uint32_t* near,
                                    std::uint32_t* row) {
  const std::uint32_t i = blockIdx.x * kBlockThreads + threadIdx.x;
  if (i >= rows.rows) return;
  const std::uint64_t begin = rows.begin(i);
  length[i] = rows.size(i);

  near[i] = find_first(length[i], [&](std::uint32_t entry) {
    // Columns ascend, so the near ones are the beginning of the row.
    return rows.at(begin, entry).column < near_columns;
  });
  row[i] = i;
}

}  // namespace

DeviceSomRows::DeviceSomRows(DevicePointer device, Staging& staging, std::uint32_t near_columns)
    : device_(std::move(device)), staging_(staging), near_columns_(near_columns) {}
DeviceSomRows::~DeviceSomRows() { stream_.settle(); }

void DeviceSomRows::load(const SomRows& rows) {
  const std::uint64_t base = rows.row_begin[0];
  const std::uint64_t size = rows.row_begin[rows.rows] - base;

  row_begin_.reserve(device_, std::size_t{rows.rows} + 1);
  entry_.reserve(device_, size);
  staging_.copy_to_device(row_begin_.data(), rows.row_begin,
                          (std::size_t{rows.rows} + 1) * sizeof(std::uint64_t));

  // Columns and weights are two arrays of the host. They become pairs some at a time, so that the
  // memory for both is small.
  for (std::uint64_t begin = 0; begin < size; begin += kEntriesAtOnce)
    copy_entries(rows, begin, std::min(kEntriesAtOnce, size - begin));

  near_.reserve(device_, rows.rows);
  const SomRowsView view = {rows.rows, size, row_begin_.data(), base, entry_.data(), near_.data()};

  // The view shows the rows only when all of them are there.
  sort_by_length(view);
  stream_.wait("rows of a map");
  view_ = view;
}

float DeviceSomRows::largest() {
  constexpr unsigned kBlocksAMultiprocessor = 8;
  largest_.reserve(device_, 1);
  cuda_check(cudaMemsetAsync(largest_.data(), 0, largest_.bytes(), stream_), "rows of a map");

  // A few blocks on each multiprocessor go through all entries, so few of them meet in `largest_`.
  const unsigned blocks =
      std::min(blocks_for(view_.entries),
               static_cast<unsigned>(device_->multiprocessors()) * kBlocksAMultiprocessor);
  find_largest_kernel<<<blocks, kBlockThreads, 0, stream_>>>(entry_.data(), view_.entries,
                                                             largest_.data());
  launch_check("find_largest_kernel");

  std::uint32_t bits = 0;
  copy_values(&bits, largest_.data(), 1, stream_, "rows of a map");
  stream_.wait("rows of a map");
  return std::bit_cast<float>(bits);
}

void DeviceSomRows::copy_entries(const SomRows& rows, std::uint64_t begin, std::uint64_t size) {
  const std::uint64_t from = rows.row_begin[0] + begin;
  host_.column.reserve(device_, size);
  host_.value.reserve(device_, size);

  // Both arrays go at once, so that neither waits for the other.
  const HostCopy copies[] = {
      {host_.column.data(), rows.column + from, size * sizeof(std::uint32_t)},
      {host_.value.data(), rows.weight + from, size * sizeof(float)}};
  staging_.copy_to_device(copies);

  pair_up_kernel<<<blocks_for(size), kBlockThreads, 0, stream_>>>(
      host_.column.data(), host_.value.data(), size, entry_.data() + begin);
  launch_check("pair_up_kernel");
  stream_.wait("rows of a map");
}

/// Also counts the near entries of each row.
void DeviceSomRows::sort_by_length(const SomRowsView& rows) {
  if (rows.rows == 0) return;
  for (auto* buffer : {&order_, &sort_.length, &sort_.sorted_length, &sort_.row})
    buffer->reserve(device_, rows.rows);

  measure_rows_kernel<<<blocks_for(rows.rows), kBlockThreads, 0, stream_>>>(
      rows, near_columns_, sort_.length.data(), near_.data(), sort_.row.data());
  launch_check("measure_rows_kernel");

  // CUB is called twice: once to learn how much memory it needs. The room is kept for the next
  // load.
  const auto sort = [&](void* scratch, std::size_t& bytes) {
    cuda_check(cub::DeviceRadixSort::SortPairsDescending(
                   scratch, bytes, sort_.length.data(), sort_.sorted_length.data(),
                   sort_.row.data(), order_.data(), rows.rows, 0, 32, stream_),
               "rows of a map");
  };

  std::size_t bytes = 0;
  sort(nullptr, bytes);
  sort_.scratch.reserve(device_, bytes);
  bytes = sort_.scratch.size();
  sort(sort_.scratch.data(), bytes);
}

}  // namespace kindred::cuda
