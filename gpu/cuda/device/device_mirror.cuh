#pragma once

#include <memory>
#include <vector>

#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/device/device_segment.cuh"
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
  /// `longest_elsewhere`: as Backend::refreshed().
  /// @throws Error kInvalidArgument as make_backend(); kOutOfMemory, kDevice.
  DeviceMirror(DevicePointer device, Staging& staging, SegmentListPointer list,
               const TermWeighting& weighting, const DeviceMirror* before = nullptr,
               double longest_elsewhere = 0);

  const MirrorView& view() const { return view_; }
  const SegmentList& list() const { return *list_; }
  const SegmentListPointer& shared_list() const { return list_; }
  const DevicePointer& device() const { return device_; }
  double longest() const { return longest_; }  ///< |d| of the live rows
  std::uint32_t largest_words() const { return largest_words_; }
  std::uint64_t slots() const { return slots_; }
  /// One bit per slot, clear for dead places; null if none is dead.
  const std::uint32_t* live_slots() const {
    return live_slots_.size() > 0 ? live_slots_.data() : nullptr;
  }
  bool has_dead() const { return list_->dead().rows() > 0; }
  const TermWeighting& weighting() const { return weighting_; }
  std::uint32_t most_labels() const { return most_labels_; }  ///< of any row
  std::uint32_t label_count() const { return label_count_; }  ///< all labels are below it

 private:
  /// What the device has of a segment.
  struct Part {
    SegmentPointer segment;
    std::uint32_t first_place;
    std::shared_ptr<const DeviceSegment> rows;
    std::vector<DeviceTile> tiles;
  };

  void set_weighting(const TermWeighting& weighting, const DeviceMirror* before);
  void set_parts(Staging& staging, const DeviceMirror* before);
  void measure(double longest_elsewhere);
  std::vector<TileView> set_tiles();
  void bound();
  bool rebuild_tiles();
  std::vector<std::uint32_t> live_rows(const Part& part, const DeviceTile& tile) const;

  DevicePointer device_;
  SegmentListPointer list_;
  std::vector<Part> parts_;
  TermWeighting weighting_;
  std::shared_ptr<const DeviceBuffer<double>> tf_;
  DeviceBuffer<double> idf_, reciprocal_;
  DeviceBuffer<double> length_;  ///< while a mirror is made
  DeviceBuffer<std::uint64_t> dead_bits_;
  DeviceBuffer<SegmentView> segment_views_;
  DeviceBuffer<TileView> tile_views_;
  DeviceBuffer<float2> bounds_;
  DeviceBuffer<std::uint16_t> most_entries_;
  DeviceBuffer<float> slot_length_;
  DeviceBuffer<std::uint32_t> live_slots_;
  double longest_ = 0;         ///< of the live documents
  double longest_of_all_ = 0;  ///< the same, or that of the larger mirror
  double unit_ = 1;            ///< 2^-s
  std::vector<double> tile_longest_;
  std::uint32_t largest_words_ = 0, most_labels_ = 0, label_count_ = 0;
  std::uint64_t slots_ = 0;
  MirrorView view_{};
};

}  // namespace kindred::cuda
