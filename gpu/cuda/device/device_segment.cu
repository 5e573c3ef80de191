// Floor: the rows' bytes over PCIe.
#include "gpu/cuda/device/device_segment.cuh"

#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <string>

#include "config/error.h"
#include "gpu/cuda/device/launch.cuh"

namespace kindred::cuda {
namespace {

/// Kernels read entries four at a time, and so up to three past the end.
constexpr std::uint64_t kEntryPadding = 3;

/// Room for `n` elements, and `padding` zeros behind them.
template <typename T>
DeviceBuffer<T> make_room(const DevicePointer& device, std::uint64_t n, std::uint64_t padding = 0) {
  DeviceBuffer<T> buffer(device, n + padding);
  if (padding > 0)
    cuda_check(cudaMemsetAsync(buffer.data() + n, 0, padding * sizeof(T), device->stream()),
               "copy of the mirror");
  return buffer;
}

__global__ void pack_counts_kernel(const std::uint16_t* count, std::uint64_t n,
                                   std::uint8_t* packed) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kBlockThreads + threadIdx.x;
  if (i >= n) return;
  constexpr std::uint16_t kLargest = SegmentView::kLargeCount;
  packed[i] = static_cast<std::uint8_t>(min(count[i], kLargest));
}

/// Raises `largest` to the largest difference of adjacent offsets.
__global__ void narrow_offsets_kernel(const std::uint64_t* offset, std::uint64_t n,
                                      std::uint32_t* narrow, std::uint32_t* largest) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kBlockThreads + threadIdx.x;
  std::uint32_t own = 0;
  if (i < n) {
    own = static_cast<std::uint32_t>(offset[i]);
    narrow[i] = own;
  }

  // A row's size is the distance to the next offset. A warp takes its largest before it touches
  // memory that all share.
  std::uint32_t size = 0;
  if (i + 1 < n) size = static_cast<std::uint32_t>(offset[i + 1]) - own;
  const std::uint32_t most = __reduce_max_sync(kWholeWarp, size);
  if (threadIdx.x % 32 == 0 && most > 0) atomicMax(largest, most);
}

/// bits[i] says which of entries 32 i .. 32 i + 31 have large counts.
__global__ void mark_large_kernel(const std::uint16_t* count, std::uint64_t n,
                                  std::uint32_t* bits) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kBlockThreads + threadIdx.x;
  const bool is_large = i < n && count[i] >= SegmentView::kLargeCount;

  // The 32 entries of a warp make one word.
  const unsigned all = __ballot_sync(kWholeWarp, is_large);
  if (i % 32 == 0 && i < n) bits[i / 32] = all;
}

struct CountBits {
  __device__ std::uint32_t operator()(std::uint32_t word) const { return __popc(word); }
};

__global__ void list_large_kernel(const std::uint16_t* count, std::uint64_t n,
                                  const std::uint32_t* bits, const std::uint32_t* before,
                                  std::uint16_t* large_count) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kBlockThreads + threadIdx.x;
  if (i >= n || (bits[i / 32] >> i % 32 & 1) == 0) return;

  // A large count goes after those of the words before and those before it in its word.
  large_count[before[i / 32] + __popc(bits[i / 32] & ((1u << i % 32) - 1))] = count[i];
}

/// Kernels number a row's entries in fours, and expect these numbers to fit 24 bits.
constexpr std::uint64_t kMostTerms = std::uint64_t{1} << 24;

void check_rows(CsrView counts) {
  bool fault = false;  // without a branch: this becomes vector code
  for (std::uint32_t row = 0; row < counts.rows; ++row)
    fault |= counts.row_begin[row + std::size_t{1}] - counts.row_begin[row] >= kMostTerms;
  if (!fault) return;

  // Only an input that is refused is looked at again, for the row to name.
  for (std::uint32_t row = 0; row < counts.rows; ++row)
    if (counts.row_begin[row + std::size_t{1}] - counts.row_begin[row] >= kMostTerms)
      throw Error(Errc::kUnsupported, "row " + std::to_string(row) + " has 2^24 terms or more");
}

}  // namespace

DeviceSegment::DeviceSegment(const DevicePointer& device, Staging& staging, const Segment& segment)
    : rows_(segment.counts.rows), columns_(segment.counts.columns) {
  const auto& [counts, labels, numbers] = segment;
  check_rows(counts);

  if (labels.rows > 0 && labels.row_begin[labels.rows] > UINT32_MAX)
    throw Error(Errc::kUnsupported, "the rows have 2^32 labels or more");

  // All memory is taken first, so that a device without room fails before anything is copied.
  const std::uint64_t n = counts.nonzeros();
  const std::uint64_t offsets = std::uint64_t{counts.rows} + 1;
  const bool has_labels = labels.rows > 0;
  const std::uint64_t label_offsets = has_labels ? std::uint64_t{labels.rows} + 1 : 0;
  row_begin_ = make_room<std::uint64_t>(device, offsets);
  column_ = make_room<std::uint32_t>(device, n, kEntryPadding);
  auto count = make_room<std::uint16_t>(device, n);
  auto label_begin = make_room<std::uint64_t>(device, label_offsets);
  if (has_labels) label_ = make_room<std::uint32_t>(device, labels.row_begin[labels.rows]);
  if (numbers != nullptr) numbers_ = make_room<std::uint32_t>(device, counts.rows);

  // Counts and offsets of labels come as the host has them, and are made smaller on the device. All
  // copies go at once, so that small ones do not wait for large ones.
  const HostCopy copies[] = {
      {column_.data(), counts.column, n * sizeof(std::uint32_t)},
      {count.data(), counts.count, count.bytes()},
      {row_begin_.data(), counts.row_begin, row_begin_.bytes()},
      {label_begin.data(), labels.row_begin, label_begin.bytes()},
      {label_.data(), labels.label, label_.bytes()},
      {numbers_.data(), numbers, numbers_.bytes()},
  };
  staging.copy_to_device(copies);

  pack_counts(device, count);
  measure_labels(device, label_begin);
}

/// Nearly all counts fit a byte; the others are listed.
void DeviceSegment::pack_counts(const DevicePointer& device,
                                const DeviceBuffer<std::uint16_t>& counts) {
  const std::uint64_t n = counts.size();
  if (n == 0) return;

  const cudaStream_t stream = device->stream();

  // The largest count decides whether there are any to list.
  DeviceBuffer<std::uint16_t> largest(device, 1);
  with_scratch(device, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Max(scratch, bytes, counts.data(), largest.data(), n, stream);
  });
  largest_count_ = fetch(device, largest.data());

  count_ = make_room<std::uint8_t>(device, n, kEntryPadding);
  pack_counts_kernel<<<blocks_for(n), kBlockThreads, 0, stream>>>(counts.data(), n, count_.data());
  launch_check("pack_counts_kernel");

  // Large counts are found by rank: a bit for each entry, the number of set bits before each word,
  // and a list of the counts.
  if (largest_count_ >= SegmentView::kLargeCount) {
    const std::uint64_t words = (n + 31) / 32;
    large_.bits = make_room<std::uint32_t>(device, words, 1);
    large_.before = DeviceBuffer<std::uint32_t>(device, words + 1);
    mark_large_kernel<<<blocks_for(n), kBlockThreads, 0, stream>>>(counts.data(), n,
                                                                   large_.bits.data());
    launch_check("mark_large_kernel");

    // The sum past the last word is how many there are in all.
    const auto in_word = thrust::make_transform_iterator(large_.bits.data(), CountBits{});
    with_scratch(device, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(scratch, bytes, in_word, large_.before.data(), words + 1,
                                           stream);
    });
    large_.count = DeviceBuffer<std::uint16_t>(device, fetch(device, large_.before.data() + words));

    list_large_kernel<<<blocks_for(n), kBlockThreads, 0, stream>>>(
        counts.data(), n, large_.bits.data(), large_.before.data(), large_.count.data());
    launch_check("list_large_kernel");
  }

  cuda_check(cudaStreamSynchronize(stream), "copy of the mirror");
}

void DeviceSegment::measure_labels(const DevicePointer& device,
                                   const DeviceBuffer<std::uint64_t>& begin) {
  if (begin.size() == 0) return;

  const cudaStream_t stream = device->stream();

  // Offsets of 64 bits become 32, which they fit.
  label_begin_ = DeviceBuffer<std::uint32_t>(device, begin.size());
  DeviceBuffer<std::uint32_t> largest(device, 1);
  cuda_check(cudaMemsetAsync(largest.data(), 0, sizeof(std::uint32_t), stream), "labels");
  narrow_offsets_kernel<<<blocks_for(begin.size()), kBlockThreads, 0, stream>>>(
      begin.data(), begin.size(), label_begin_.data(), largest.data());
  launch_check("narrow_offsets_kernel");

  labels_.most = fetch(device, largest.data());

  // All labels of the segment are below this end.
  if (label_.size() == 0) return;
  with_scratch(device, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Max(scratch, bytes, label_.data(), largest.data(), label_.size(),
                                  stream);
  });
  labels_.end = fetch(device, largest.data()) + 1;
}

SegmentView DeviceSegment::view(std::uint32_t first_place) const {
  return {first_place,         rows_,
          row_begin_.data(),   column_.data(),
          count_.data(),       large_.count.data(),
          large_.bits.data(),  large_.before.data(),
          label_begin_.data(), label_.data(),
          numbers_.data()};
}

}  // namespace kindred::cuda
