#pragma once

#include "gpu/cuda/device/device_segment.cuh"

namespace kindred::cuda {

/// Reorders the rows of a segment's tiles. `rows` is in the order of their slots, and each
/// kGroupSlots of them are reordered among themselves. Then the postings of frequent lists are
/// spread evenly over the banks and the halves of words. Only so do all of them find the places
/// that chunk_layout.cuh has for their banks. Equal input gives equal order.
/// @throws Error kOutOfMemory, kDevice.
void spread_slots(const DevicePointer& device, const DeviceSegment& segment,
                  DeviceBuffer<std::uint32_t>& rows);

}  // namespace kindred::cuda
