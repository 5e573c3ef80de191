#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/device/device_segment.cuh"
#include "gpu/cuda/device/lengths.cuh"
#include "gpu/cuda/device/mirror_view.cuh"
#include "gpu/cuda/device/tile_builder.cuh"
#include "gpu/queries.h"
#include "gpu/segment_list.h"

namespace kindred::cuda {

/// A mirror in device memory under one weighting: rows, tiles, and what depends on N and df (idf,
/// lengths, bounds). Immutable. It shares segments and tiles with the mirrors that it was made from
/// and those that are made from it; the rest is its own.
class DeviceMirror {
 public:
  /// `before`: another state of the mirror, whose segments and tiles are shared, or null.
  /// @throws Error kInvalidArgument as make_backend(); kOutOfMemory, kDevice.
  DeviceMirror(DevicePointer device, Staging& staging, SegmentListPointer list,
               const TermWeighting& weighting, const DeviceMirror* before = nullptr);

  const MirrorView& view() const { return view_; }
  const SegmentList& list() const { return *list_; }
  const SegmentListPointer& shared_list() const { return list_; }
  const DevicePointer& device() const { return device_; }
  double longest() const { return lengths_.longest; }  ///< |d| of the live rows
  std::uint32_t largest_words() const { return tiles_.largest_words; }
  std::uint64_t slots() const { return tiles_.slots; }
  /// One bit per slot, clear for dead places; null if none is dead.
  const std::uint32_t* live_slots() const { return tiles_.live_slots.data(); }
  bool has_dead() const { return list_->dead().rows() > 0; }
  const TermWeighting& weighting() const { return weighting_; }
  const LabelExtent& labels() const { return labels_; }

 private:
  /// What the device has of a segment.
  struct Part {
    SegmentPointer segment;
    std::uint32_t first_place;
    std::shared_ptr<const DeviceSegment> rows;
    std::vector<DeviceTile> tiles;
  };
  struct Lengths {
    double longest = 0;               ///< of the live documents
    double unit = 1;                  ///< 2^-s
    DeviceBuffer<double> length;      ///< by place; only while a mirror is made
    DeviceBuffer<double> reciprocal;  ///< by place
  };
  /// All tiles, and the arrays that their views point into.
  struct Tiles {
    DeviceBuffer<TileView> views;
    DeviceBuffer<float2> bounds;
    DeviceBuffer<std::uint16_t> most_entries;
    DeviceBuffer<float> slot_length;
    DeviceBuffer<std::uint32_t> live_slots;
    std::uint64_t slots = 0;
    std::uint32_t largest_words = 0;  ///< of a tile
  };

  void set_weighting(const TermWeighting& weighting, const DeviceMirror* before);
  void set_parts(Staging& staging, const DeviceMirror* before);
  void measure();
  std::vector<TileView> set_tiles();
  std::vector<TileState> bound();
  bool rebuild_tiles(std::span<const TileState> states);
  std::vector<std::uint32_t> live_rows(const Part& part, const DeviceTile& tile) const;

  DevicePointer device_;
  SegmentListPointer list_;
  std::vector<Part> parts_;
  TermWeighting weighting_;
  std::shared_ptr<const DeviceBuffer<double>> tf_;
  DeviceBuffer<double> idf_;
  DeviceBuffer<std::uint64_t> dead_bits_;
  DeviceBuffer<SegmentView> segment_views_;
  LabelExtent labels_;
  Lengths lengths_;
  Tiles tiles_;
  MirrorView view_{};
};

}  // namespace kindred::cuda
