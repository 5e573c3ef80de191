#pragma once

#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/device/mirror_view.cuh"
#include "gpu/cuda/device/staging.cuh"
#include "gpu/segment_list.h"

namespace kindred::cuda {

/// What is known of the labels of all rows.
struct LabelExtent {
  std::uint32_t most = 0;  ///< of any row
  std::uint32_t end = 0;   ///< all labels are below it
};

/// A segment's rows and their labels, in device memory. Immutable.
class DeviceSegment {
 public:
  /// Copies from the host, through page-locked buffers if the host's memory is pageable. Waits for
  /// the copy.
  /// @throws Error kOutOfMemory, kDevice.
  DeviceSegment(const DevicePointer& device, Staging& staging, const Segment& segment);

  SegmentView view(std::uint32_t first_place) const;
  std::uint32_t columns() const { return columns_; }
  std::uint32_t largest_count() const { return largest_count_; }
  const LabelExtent& labels() const { return labels_; }

 private:
  /// Counts from SegmentView::kLargeCount on, as a SegmentView has them.
  struct LargeCounts {
    DeviceBuffer<std::uint32_t> bits;
    DeviceBuffer<std::uint32_t> before;
    DeviceBuffer<std::uint16_t> count;
  };

  void pack_counts(const DevicePointer& device, const DeviceBuffer<std::uint16_t>& counts);
  void measure_labels(const DevicePointer& device, const DeviceBuffer<std::uint64_t>& begin);

  std::uint32_t rows_;
  std::uint32_t columns_;
  std::uint32_t largest_count_ = 0;
  LabelExtent labels_;
  DeviceBuffer<std::uint64_t> row_begin_;
  DeviceBuffer<std::uint32_t> column_;
  DeviceBuffer<std::uint32_t> label_begin_;
  DeviceBuffer<std::uint32_t> label_;
  DeviceBuffer<std::uint32_t> numbers_;
  DeviceBuffer<std::uint8_t> count_;
  LargeCounts large_;
};

}  // namespace kindred::cuda
