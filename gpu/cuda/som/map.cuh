#pragma once

#include <mutex>
#include <span>

#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/device/staging.cuh"
#include "gpu/cuda/som/view.cuh"

namespace kindred::cuda {

/// The codebook and the sums of a map on the device. Copies them from and to the host. Borrows the
/// staging.
class DeviceSomMap {
 public:
  /// @throws Error kOutOfMemory
  DeviceSomMap(DevicePointer device, Staging& staging, std::uint32_t units, std::uint32_t columns);

  const SomMapView& view() const { return view_; }

  void set_codebook(const SomCodebook& codebook);
  SomCodebook codebook() const;

  /// Room for the sums of so many wide units. Loses what there is. @throws Error kOutOfMemory.
  void reserve_wide(std::size_t units);
  /// Empties the sums and takes the grid. @throws Error kOutOfMemory.
  void begin_sums(const SomGrid& grid);

  /// As SomTwin. @throws Error kOutOfMemory.
  void read_sums(std::uint32_t first, std::span<std::int64_t> sums) const;
  void write_sums(std::uint32_t first, std::span<const std::int64_t> sums);
  void read_weights(std::uint32_t first, std::span<float> weights) const;
  void write_weights(std::uint32_t first, std::span<const float> weights);

  /// Adds another map's sums of columns [first, last), and takes its weights of them. This device
  /// can read that one's memory. Waits for what that one has been given to do, and until it is
  /// done.
  void add_sums(const DeviceSomMap& other, std::uint32_t first, std::uint32_t last);
  void take_weights(const DeviceSomMap& other, std::uint32_t first, std::uint32_t last);

 private:
  DevicePointer device_;
  Staging& staging_;
  DeviceBuffer<float> weight_, squared_norm_;
  DeviceBuffer<double> exact_norm_;
  DeviceBuffer<SomUnitGrid> grid_;
  DeviceBuffer<std::int32_t> narrow_;
  DeviceBuffer<std::int64_t> wide_;
  mutable std::mutex mutex_;                        // held while the two after it are used
  mutable DeviceBuffer<float> columns_;             // some columns in the host's layout
  mutable DeviceBuffer<std::int64_t> sum_columns_;  // the same of sums
  std::size_t wide_units_ = 0;
  SomMapView view_;
};

}  // namespace kindred::cuda
