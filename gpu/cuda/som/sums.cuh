#pragma once

#include <vector>

#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/som/rows.cuh"

namespace kindred::cuda {

/// Rows of one unit that are added up at once, and where their sum goes.
struct SomSegment {
  std::uint32_t unit, first, size;  ///< members [first, first + size) of the rows by unit
  std::uint32_t place;              ///< of its sum, among those that wait to be added
};
/// Sums that wait, of one unit: [first, first + size) in their order.
struct SomFold {
  std::uint32_t unit, first, size;
};

/// Adds rows to the sums of their best units. Keeps memory between calls.
class SomAccumulator {
 public:
  explicit SomAccumulator(DevicePointer device) : device_(std::move(device)) {}

  /// Room for calls of `rows` rows. @throws Error kOutOfMemory.
  void reserve(const SomMapView& map, std::uint32_t rows);

  /// Adds the rows to map.sum and their numbers to `hits`, [units]. Waits.
  void add(const DeviceSomRows& rows, const SomMatch* matches, const SomMapView& map,
           std::vector<std::uint64_t>& hits);

 private:
  std::vector<std::uint32_t> group(const SomMatch* matches, std::uint32_t rows,
                                   std::uint32_t units);
  void add_rows(const SparseSomView& rows, const SomMapView& map,
                const std::vector<std::uint32_t>& begin);
  void add_rows(const DenseSomView& rows, const SomMapView& map,
                const std::vector<std::uint32_t>& begin);
  template <typename T>
  const T* send(const std::vector<T>& host, DeviceBuffer<T>& buffer);

  DevicePointer device_;
  DeviceBuffer<std::uint32_t> unit_, unit_sorted_, row_, row_by_unit_, begin_;
  DeviceBuffer<SomSegment> segment_;
  DeviceBuffer<SomFold> fold_;
  DeviceBuffer<float> waiting_;         // sums of sparse rows, [segments, columns]
  DeviceBuffer<double> waiting_dense_;  // of dense ones
};

}  // namespace kindred::cuda
