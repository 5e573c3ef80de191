#pragma once

#include "gpu/cuda/device/kernel_code.cuh"
#include "gpu/cuda/som/map.cuh"
#include "gpu/cuda/som/rows.cuh"

namespace kindred::cuda {

/// Finds the two nearest units of rows, and how far the nearest is. Keeps memory between calls.
class SomMatcher {
 public:
  explicit SomMatcher(DevicePointer device) : device_(std::move(device)) {}

  /// Loads the kernel that matches, and says what it is. Called in a scope of the device.
  /// @throws Error as code_of().
  static KernelCode code(const Device& device);

  /// How many columns' weights fit a block's shared memory on this device.
  static std::uint32_t near_columns(const Device& device);

  /// Room for calls of `rows` rows. @throws Error kOutOfMemory.
  void reserve(std::uint32_t rows);

  /// `neighbors`: [units, kMostNeighbors], kNoUnit where a unit has fewer. `matches`: [rows]; holds
  /// the last match and gets the new one. Waits for the tally.
  SomTally match(const DeviceSomRows& rows, const SomMapView& map, const std::uint32_t* neighbors,
                 SomMatch* matches);

  static constexpr std::uint32_t kMostNeighbors = 8;

  /// The two least keys of a row. A key is a score in an order of unsigned numbers, then the unit.
  struct BestKeys {
    unsigned long long key[2];
  };
  /// The tally of a block of rows.
  struct BlockTally {
    double distance;
    std::uint32_t moved;
    std::uint32_t torn;
  };

 private:
  DevicePointer device_;
  DeviceBuffer<BestKeys> best_;
  DeviceBuffer<BlockTally> tally_;
};

}  // namespace kindred::cuda
