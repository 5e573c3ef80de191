#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/device/device_segment.cuh"

namespace kindred::cuda {

/// Tiles of a segment that were built together and share their arrays. Immutable.
struct TileGroup {
  DeviceBuffer<std::uint32_t> row_of;     ///< [sum of slots] row of the segment
  DeviceBuffer<std::uint32_t> term_runs;  ///< [tiles, terms + 1]
  DeviceBuffer<uint2> runs;
  DeviceBuffer<uint4> chunks;
  std::uint32_t terms = 0;
  bool has_mixed_runs = false;  ///< chunk_layout.cuh
};

/// A tile as the host knows it.
struct DeviceTile {
  std::shared_ptr<const TileGroup> group;
  std::uint32_t number = 0;      ///< in its group
  std::uint32_t first_slot = 0;  ///< of the group's row_of
  std::uint32_t slots = 0;
};

/// Builds tiles of some rows of a segment, in any order. They are reordered by `length`, which has
/// a value for every row of the segment, in device memory, and then by spread_slots(). Waits for
/// the device. @throws Error kOutOfMemory, kDevice.
std::vector<DeviceTile> build_tiles(const DevicePointer& device, const DeviceSegment& segment,
                                    std::span<const std::uint32_t> rows, const double* length);

}  // namespace kindred::cuda
