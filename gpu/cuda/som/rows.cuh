#pragma once

#include <cstdint>

#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/device/staging.cuh"
#include "gpu/cuda/som/view.cuh"
#include "gpu/som/rows.h"

namespace kindred::cuda {

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
  void copy_entries(const SomRows& rows, std::uint64_t begin, std::uint64_t size);
  void sort_by_length(const SomRowsView& rows);

  DevicePointer device_;
  Staging& staging_;
  const std::uint32_t near_columns_;
  Stream stream_;
  DeviceBuffer<std::uint64_t> row_begin_;
  DeviceBuffer<SomEntry> entry_;
  DeviceBuffer<std::uint32_t> column_;  // a piece that is to become entries
  DeviceBuffer<float> value_;           // the same
  DeviceBuffer<std::uint32_t> near_, order_, length_, sorted_length_, row_;  // [rows]
  DeviceBuffer<unsigned char> scratch_;
  DeviceBuffer<std::uint32_t> largest_;
  std::uint64_t size_ = 0;  // entries
  SomRowsView view_;
};

}  // namespace kindred::cuda
