#pragma once

#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/mirror/mirror_view.cuh"

namespace kindred::cuda {

/// Reorders the rows of tiles, `rows` in the order of their slots, within each kGroupSlots, so that
/// the postings of frequent lists fall evenly on banks and halves of words: only then do all of
/// them find the places that chunk_layout.cuh has for their banks. Equal input gives equal order.
/// @throws Error kOutOfMemory, kDevice.
void spread_slots(const DevicePointer& device, const MirrorView& mirror,
                  DeviceBuffer<std::uint32_t>& rows);

}  // namespace kindred::cuda
