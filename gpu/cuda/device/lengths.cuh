#pragma once

#include <vector>

#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/device/mirror_view.cuh"

namespace kindred::cuda {

/// What is known of all live rows together.
struct RowState {
  double longest;               ///< the largest |d|, infinite where one is not finite
  std::uint32_t largest_count;  ///< of the counts beyond the tf table; 0 if none is
};

/// Writes |d| of the row at each place to `length` [mirror.places]. Returns what is known of those
/// not in `dead` (bits, or null). `mirror` needs its segments, idf and tf; counts beyond the table
/// weigh 0. Waits.
RowState measure_lengths(const DevicePointer& device, const MirrorView& mirror,
                         const std::uint32_t* dead, double* length);

/// Writes r_d of each place, 0 for dead ones. `common`: the length that divides all rows; 0: each
/// is divided by its own. `unit` = 2^-s.
void invert_lengths(const double* length, const std::uint32_t* dead, std::uint32_t places,
                    double common, double unit, double* reciprocal, cudaStream_t stream);

/// The state of a tile's documents.
struct TileState {
  double longest;  ///< length of its longest document, dead or not
  float middle;    ///< TileView::middle
};

/// The arrays of all tiles that their views point into: TileView::bounds, most_entries and
/// slot_length.
struct SlotBounds {
  float2* bounds;
  std::uint16_t* most_entries;
  float* slot_length;
};

/// Writes the bounds of the mirror's tiles and the lengths of their slots. Returns one state per
/// tile. Slots of reciprocal 0 do not affect the bounds. `mirror` needs its tiles, segments,
/// reciprocals and scale. Waits.
std::vector<TileState> bound_tiles(const DevicePointer& device, const MirrorView& mirror,
                                   const double* length, const SlotBounds& to);

/// Writes one bit per slot of the mirror's tiles: whether the slot's place is in `places` (null:
/// all are), and, if `reciprocal` is given, whether it is live.
void gather_slot_bits(const MirrorView& mirror, const std::uint32_t* places,
                      const double* reciprocal, std::uint32_t* slot_bits, cudaStream_t stream);

}  // namespace kindred::cuda
