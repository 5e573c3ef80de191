#pragma once

#include <memory>
#include <vector>

#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/mirror/device_segment.cuh"
#include "gpu/cuda/mirror/mirror_view.cuh"
#include "gpu/cuda/mirror/tile_builder.cuh"
#include "gpu/knn/backend.h"
#include "gpu/knn/row_places.h"

namespace kindred::cuda {

/// A mirror in device memory under one weighting: rows, tiles, and what depends on N and df (idf,
/// lengths, bounds). Immutable. It shares segments and tiles with the mirrors that it was made from
/// and those that are made from it; the rest is its own.
class DeviceMirror {
 public:
  /// @throws Error kInvalidArgument as make_backend(); kOutOfMemory, kDevice.
  DeviceMirror(DevicePointer device, Staging& staging, CsrView counts, LabelView labels,
               const TermWeighting& weighting);

  /// The mirror `before` after `change`. Added rows and those that replace others get a tile of
  /// their own, or one together with the last tiles if those are small. A tile is rebuilt if a
  /// quarter of its documents is dead.
  DeviceMirror(const DeviceMirror& before, Staging& staging, const MirrorChange& change,
               const TermWeighting& weighting);

  const MirrorView& view() const { return view_; }
  const RowPlaces& where() const { return where_; }
  const DevicePointer& device() const { return device_; }
  double longest() const { return longest_; }  ///< |d| of the live rows
  std::uint32_t largest_words() const { return largest_words_; }
  std::uint64_t slots() const { return slots_; }
  std::uint64_t entries() const;  ///< of all rows, dead or not
  /// How many entries the row at each place has, from the device.
  std::vector<std::uint32_t> row_sizes() const;
  /// One bit per slot, clear for dead places; null if none is dead.
  const std::uint32_t* live_slots() const {
    return live_slots_.size() > 0 ? live_slots_.data() : nullptr;
  }
  bool has_dead() const { return where_.dead().rows() > 0; }
  const TermWeighting& weighting() const { return weighting_; }
  /// The largest number of labels of a row.
  std::uint32_t most_labels() const;
  std::uint32_t label_count() const;                                  ///< all labels are below it
  std::span<const std::uint32_t> labels(std::uint32_t number) const;  ///< in host memory

 private:
  void set_weighting(const TermWeighting& weighting, const DeviceMirror* before);
  void set_segments();
  void set_places();
  void measure(double longest_of_all);
  void set_tiles();
  void bound();
  bool rebuild_worn();
  DeviceBuffer<std::uint32_t> take_rows(std::uint32_t first_place, std::uint32_t count,
                                        std::size_t tiles_from) const;
  DeviceBuffer<std::uint32_t> live_rows(const DeviceTile& tile) const;

  DevicePointer device_;
  std::vector<std::shared_ptr<const DeviceSegment>> segments_;
  std::vector<DeviceTile> tiles_;
  RowPlaces where_;
  TermWeighting weighting_;
  std::shared_ptr<const DeviceBuffer<double>> tf_;
  DeviceBuffer<double> idf_, reciprocal_;
  DeviceBuffer<double> length_;  ///< while a mirror is made
  DeviceBuffer<std::uint64_t> dead_bits_;
  DeviceBuffer<std::uint32_t> row_places_, row_numbers_;  ///< empty while no row was replaced
  DeviceBuffer<SegmentView> segment_views_;
  DeviceBuffer<TileView> tile_views_;
  DeviceBuffer<float2> bounds_;
  DeviceBuffer<std::uint16_t> most_entries_;
  DeviceBuffer<float> slot_length_;
  DeviceBuffer<std::uint32_t> live_slots_;
  std::vector<TileView> host_tiles_;
  double longest_ = 0;         ///< of the live documents
  double longest_of_all_ = 0;  ///< the same, or what the scale makes room for if that is more
  double unit_ = 1;            ///< 2^-s
  std::vector<double> tile_longest_;
  std::vector<std::uint32_t> tile_dead_;
  std::uint32_t largest_words_ = 0;
  std::uint64_t slots_ = 0;
  MirrorView view_{};
};

}  // namespace kindred::cuda
