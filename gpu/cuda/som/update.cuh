#pragma once

#include <cstdint>
#include <vector>

#include "gpu/cuda/som/map.cuh"
#include "gpu/som/neighborhood.h"

namespace kindred::cuda {

/// Moves the units of a map to the smoothed sums of their rows. Keeps memory between calls.
class SomUpdater {
 public:
  SomUpdater(DevicePointer device, const SomMapView& map);

  /// w_u = smoothed sums over smoothed hits in columns [first, last); units that nothing reaches
  /// stay.
  void update(const SomFactors& factors, const std::vector<std::int64_t>& hits,
              const SomMapView& map, std::uint32_t first, std::uint32_t last);

  /// |w|^2 of all units, in double and in the order of the columns.
  void measure_norms(const SomMapView& map);

 private:
  template <typename Sums, typename Output>
  void smooth(const SomFactors& factors, const Sums& sums, const Output& output);

  DevicePointer device_;
  std::uint32_t columns_at_once_;
  DeviceBuffer<float> along_;  // [2, units, columns_at_once_]
  DeviceBuffer<float> tables_;
  DeviceBuffer<float> across_;
  DeviceBuffer<float> hits_;     // [units]
  DeviceBuffer<float> reached_;  // [units]
};

}  // namespace kindred::cuda
