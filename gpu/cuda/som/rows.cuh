#pragma once

#include <cstdint>

#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/device/staging.cuh"
#include "gpu/som/rows.h"

namespace kindred::cuda {

struct alignas(8) SomEntry {
  std::uint32_t column;
  float value;
};

/// Rows on the device.
struct SomRowsView {
  std::uint32_t rows = 0;
  std::uint64_t entries = 0;                 ///< of all rows
  const std::uint64_t* row_begin = nullptr;  ///< rows + 1, from `base` on
  std::uint64_t base = 0;
  const SomEntry* entry = nullptr;
  const std::uint32_t* near = nullptr;  ///< entries of a row whose column is a near one, [rows]

  __device__ std::uint64_t begin(std::uint32_t row) const { return row_begin[row] - base; }
  __device__ std::uint32_t size(std::uint32_t row) const {
    return static_cast<std::uint32_t>(row_begin[row + std::size_t{1}] - row_begin[row]);
  }
  __device__ std::uint32_t near_size(std::uint32_t row) const { return near[row]; }
  /// Entry i of a row. A kernel reads it only once, so the cache may drop it first.
  __device__ SomEntry at(std::uint64_t begin, std::uint32_t i) const;
};

#ifdef __CUDACC__  // sources without kernels know views, but no intrinsics
inline __device__ SomEntry SomRowsView::at(std::uint64_t begin, std::uint32_t i) const {
  const float2 raw = __ldcs(reinterpret_cast<const float2*>(entry + begin + i));
  return {__float_as_uint(raw.x), raw.y};
}
#endif

/// Rows of a map on the device, and the order in which a match takes them. They are created and
/// destroyed while the device is current.
class DeviceSomRows {
 public:
  /// Columns below `near_columns` are near: a match has their weights in shared memory.
  /// Borrows the staging.
  DeviceSomRows(DevicePointer device, Staging& staging, std::uint32_t near_columns);
  DeviceSomRows(const DeviceSomRows&) = delete;
  DeviceSomRows& operator=(const DeviceSomRows&) = delete;
  ~DeviceSomRows();

  /// Replaces the rows. Memory grows to what they need and is kept. Waits for the copy, and for
  /// nothing else on the device unless memory grows. @throws Error kOutOfMemory, kDevice.
  void load(const SomRows& rows);

  const SomRowsView& view() const { return view_; }

  /// The largest absolute value of all rows; 0 if there is none. Waits.
  float largest();

  /// The order of the rows: by descending length, since rows that a warp takes together should have
  /// about the same length.
  const std::uint32_t* order() const { return order_.data(); }

 private:
  /// Entries as the host has them, before they become pairs.
  struct HostEntries {
    DeviceBuffer<std::uint32_t> column;
    DeviceBuffer<float> value;
  };
  /// What the rows are sorted with, [rows].
  struct SortRoom {
    DeviceBuffer<std::uint32_t> length;
    DeviceBuffer<std::uint32_t> sorted_length;
    DeviceBuffer<std::uint32_t> row;
    DeviceBuffer<unsigned char> scratch;
  };

  void copy_entries(const SomRows& rows, std::uint64_t begin, std::uint64_t size);
  void sort_by_length(const SomRowsView& rows);

  DevicePointer device_;
  Staging& staging_;
  const std::uint32_t near_columns_;
  Stream stream_;
  DeviceBuffer<std::uint64_t> row_begin_;
  DeviceBuffer<SomEntry> entry_;
  DeviceBuffer<std::uint32_t> near_;   // [rows]
  DeviceBuffer<std::uint32_t> order_;  // [rows]
  HostEntries host_;
  SortRoom sort_;
  DeviceBuffer<std::uint32_t> largest_;
  SomRowsView view_;
};

}  // namespace kindred::cuda
