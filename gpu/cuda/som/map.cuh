#pragma once

#include <mutex>
#include <span>

#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/device/staging.cuh"
#include "gpu/som/twin.h"

namespace kindred::cuda {

/// Units whose weights for a column lie side by side: one cache line.
inline constexpr std::uint32_t kSliceUnits = 32;

/// How a unit's sums are kept: see SomGrid.
struct alignas(16) SomUnitGrid {
  float scale;
  float quantum;
  std::uint32_t slot;  ///< among the wide units; SomGrid::kNarrow if it is none
};

/// A codebook on the device, in slices of units: what is read often of a slice stays in the
/// first-level cache while all rows pass by.
struct SomMapView {
  std::uint32_t units = 0;
  std::uint32_t columns = 0;
  float* weight = nullptr;         ///< [slices, columns, kSliceUnits]
  float* squared_norm = nullptr;   ///< [slices, kSliceUnits], infinity for padding
  double* exact_norm = nullptr;    ///< the same before it was rounded
  SomUnitGrid* grid = nullptr;     ///< [units]
  std::int32_t* narrow = nullptr;  ///< sums of narrow units, [units, columns]
  std::int64_t* wide = nullptr;    ///< sums of wide units, [wide units, columns]

  __host__ __device__ std::uint32_t slices() const {
    return (units + kSliceUnits - 1) / kSliceUnits;
  }
  __device__ std::size_t place(std::uint32_t unit, std::uint32_t column) const {
    return (std::size_t{unit / kSliceUnits} * columns + column) * kSliceUnits + unit % kSliceUnits;
  }
  __device__ std::int32_t& narrow_sum(std::uint32_t unit, std::uint32_t column) const {
    return narrow[std::size_t{unit} * columns + column];
  }
  __device__ std::int64_t& wide_sum(std::uint32_t slot, std::uint32_t column) const {
    return wide[std::size_t{slot} * columns + column];
  }
};

/// The codebook and the sums of a map on the device. Copies them from and to the host. Borrows the
/// staging.
class DeviceSomMap {
 public:
  /// @throws Error kOutOfMemory
  DeviceSomMap(DevicePointer device, Staging& staging, std::uint32_t units, std::uint32_t columns);

  const SomMapView& view() const { return view_; }

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
  void copy_weights(const DeviceSomMap& other, std::uint32_t first, std::uint32_t last);

 private:
  /// Room for some columns in the host's layout.
  struct CopyRoom {
    std::mutex mutex;  // held while they are used
    DeviceBuffer<float> weights;
    DeviceBuffer<std::int64_t> sums;
  };

  DevicePointer device_;
  Staging& staging_;
  DeviceBuffer<float> weight_;
  DeviceBuffer<float> squared_norm_;
  DeviceBuffer<double> exact_norm_;
  DeviceBuffer<SomUnitGrid> grid_;
  DeviceBuffer<std::int32_t> narrow_;
  DeviceBuffer<std::int64_t> wide_;
  mutable CopyRoom room_;
  std::size_t wide_units_ = 0;
  SomMapView view_;
};

}  // namespace kindred::cuda
