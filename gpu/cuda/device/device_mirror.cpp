#include "gpu/cuda/device/device_mirror.cuh"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ranges>
#include <string>

#include "config/error.h"
#include "gpu/knn/backend.h"
#include "gpu/scoring.h"

namespace kindred::cuda {
namespace {

[[noreturn]] void refuse(const std::string& fault) {
  throw Error(Errc::kInvalidArgument, "mirror: " + fault);
}

std::uint64_t groups_of(std::uint32_t slots) { return (slots + kGroupSlots - 1) / kGroupSlots; }

}  // namespace

DeviceMirror::DeviceMirror(DevicePointer device, Staging& staging, SegmentListPointer list,
                           const TermWeighting& weighting, const DeviceMirror* before)
    : device_(std::move(device)), list_(std::move(list)) {
  view_.places = list_->places();
  view_.columns = list_->columns();
  set_weighting(weighting, before);
  set_parts(staging, before);
  dead_bits_ = upload<std::uint64_t>(device_, list_->dead().words());

  // The lengths decide the scale and the order of rows in tiles, so tiles come after them. Those of
  // known segments keep the order that they were made with, as bounds are measured anew for all.
  measure();
  for (Part& part : parts_) {
    if (!part.tiles.empty()) continue;
    std::vector<std::uint32_t> rows(part.segment->counts.rows);
    std::iota(rows.begin(), rows.end(), 0u);
    part.tiles = build_tiles(device_, *part.rows, rows, lengths_.length.data() + part.first_place);
  }

  // The bounds show tiles whose dead documents are too long for the scale. These tiles are built
  // again, and then all bounds are set once more.
  if (rebuild_tiles(bound())) bound();

  lengths_.length = {};
}

void DeviceMirror::set_weighting(const TermWeighting& weighting, const DeviceMirror* before) {
  check_weighting(weighting, view_.columns);

  idf_ = upload<double>(device_, weighting.idf);
  weighting_ = weighting;

  // The table of tf seldom changes when the mirror does.
  if (before != nullptr && before->weighting_.tf == weighting.tf)
    tf_ = before->tf_;
  else
    tf_ = std::make_shared<DeviceBuffer<double>>(upload<double>(device_, weighting.tf));

  view_.idf = idf_.data();
  view_.tf = tf_->data();
  view_.tf_size = static_cast<std::uint32_t>(weighting.tf.size());
  view_.tf_ascends = std::is_sorted(weighting.tf.begin(), weighting.tf.end());
}

void DeviceMirror::set_parts(Staging& staging, const DeviceMirror* before) {
  std::vector<SegmentView> views;
  view_.largest_count = 0;

  // Rows and tiles of a segment that the former mirror has are shared; others are copied from the
  // host.
  for (const auto& [segment, first_place] : list_->parts()) {
    Part part{segment, first_place, nullptr, {}};
    if (before != nullptr) {
      const auto known = std::ranges::find(before->parts_, segment, &Part::segment);
      if (known != before->parts_.end()) {
        part.rows = known->rows;
        part.tiles = known->tiles;
      }
    }

    if (part.rows == nullptr)
      part.rows = std::make_shared<const DeviceSegment>(device_, staging, *segment);

    // What is known of all rows is gathered from the segments.
    views.push_back(part.rows->view(first_place));
    view_.largest_count = std::max(view_.largest_count, part.rows->largest_count());
    labels_.most = std::max(labels_.most, part.rows->labels().most);
    labels_.end = std::max(labels_.end, part.rows->labels().end);

    parts_.push_back(std::move(part));
  }

  segment_views_ = upload<SegmentView>(device_, views);
  view_.segments = segment_views_.data();
  view_.segment_count = static_cast<std::uint32_t>(views.size());

  // Where there is one segment only, kernels have its view without a load.
  if (!views.empty()) view_.first_segment = views.front();
}

/// Lengths, scale and reciprocals.
void DeviceMirror::measure() {
  const auto* dead = reinterpret_cast<const std::uint32_t*>(dead_bits_.data());
  lengths_.length = DeviceBuffer<double>(device_, view_.places);
  lengths_.reciprocal = DeviceBuffer<double>(device_, view_.places);

  // The device finds faults of counts and lengths while it measures. The host's rows are not read.
  const RowState state = measure_lengths(device_, view_, dead, lengths_.length.data());
  if (state.largest_count > 0)
    refuse("a count of " + std::to_string(state.largest_count) +
           ", but the table of term frequencies has " + std::to_string(view_.tf_size) + " values");
  if (!std::isfinite(state.longest)) refuse("the length of a row is not finite");

  // The scale follows from the longest row, and the reciprocals are in units of the scale.
  lengths_.longest = state.longest;
  const int exponent = scale_exponent(lengths_.longest);
  view_.scale = std::ldexp(1.0, exponent);
  lengths_.unit = std::ldexp(1.0, -exponent);

  // For the dot product, the longest length divides all.
  const double common = weighting_.divisor == RowDivisor::kLongest ? lengths_.longest : 0;
  invert_lengths(lengths_.length.data(), dead, view_.places, common, lengths_.unit,
                 lengths_.reciprocal.data(), device_->stream());
  view_.reciprocal = lengths_.reciprocal.data();
}

/// The views of the tiles, without their lengths.
std::vector<TileView> DeviceMirror::set_tiles() {
  std::vector<TileView> tiles;

  // Each tile begins at a whole group, so that a pair of bounds never belongs to two tiles.
  tiles_.slots = 0;
  for (const Part& part : parts_)
    for (const DeviceTile& tile : part.tiles) tiles_.slots += groups_of(tile.slots) * kGroupSlots;

  tiles_.bounds = DeviceBuffer<float2>(device_, tiles_.slots / kGroupSlots);
  tiles_.most_entries = DeviceBuffer<std::uint16_t>(device_, tiles_.slots / kGroupSlots);
  tiles_.slot_length = DeviceBuffer<float>(device_, tiles_.slots);
  tiles_.largest_words = 0;
  view_.has_mixed_runs = false;

  // The views point into the arrays of the tile's group, which other mirrors share, and into the
  // bounds, which are this mirror's own.
  std::uint64_t slot = 0;
  for (const Part& part : parts_) {
    for (const DeviceTile& tile : part.tiles) {
      const TileGroup& group = *tile.group;
      const std::uint64_t slots = groups_of(tile.slots) * kGroupSlots;
      view_.has_mixed_runs |= group.has_mixed_runs;
      tiles.push_back(
          {group.term_runs.data() + std::uint64_t{tile.number} * (group.terms + 1),
           group.runs.data(), group.chunks.data(), group.row_of.data() + tile.first_slot,
           tiles_.bounds.data() + slot / kGroupSlots,
           tiles_.most_entries.data() + slot / kGroupSlots, tiles_.slot_length.data() + slot, 0, 0,
           group.terms, tile.slots, static_cast<std::uint32_t>(slot), part.first_place});
      slot += slots;
      tiles_.largest_words = std::max(tiles_.largest_words, static_cast<std::uint32_t>(slots / 2));
    }
  }

  tiles_.views = upload<TileView>(device_, tiles);
  view_.tiles = tiles_.views.data();
  view_.tile_count = static_cast<std::uint32_t>(tiles.size());
  return tiles;
}

/// Sets the tiles with their bounds. Returns what is known of each.
std::vector<TileState> DeviceMirror::bound() {
  std::vector<TileView> tiles = set_tiles();
  std::vector<TileState> states =
      bound_tiles(device_, view_, lengths_.length.data(),
                  {tiles_.bounds.data(), tiles_.most_entries.data(), tiles_.slot_length.data()});

  // With dead documents, a bit for each slot says which slots may answer.
  if (has_dead()) {
    tiles_.live_slots = DeviceBuffer<std::uint32_t>(device_, tiles_.slots / 32);
    gather_slot_bits(view_, nullptr, lengths_.reciprocal.data(), tiles_.live_slots.data(),
                     device_->stream());
  }

  // The views get what the measurement has shown, and are copied to the device once more.
  for (std::size_t t = 0; t < states.size(); ++t) {
    tiles[t].longest = states[t].longest / lengths_.unit;
    tiles[t].middle = states[t].middle;
  }
  tiles_.views = upload<TileView>(device_, tiles);
  view_.tiles = tiles_.views.data();
  return states;
}

/// Rebuilds tiles without their dead documents where one of these is longer than every live
/// document: the scale leaves no room for its sums.
bool DeviceMirror::rebuild_tiles(std::span<const TileState> states) {
  if (!has_dead()) return false;

  bool any = false;
  std::size_t t = 0;  // among all tiles
  for (Part& part : parts_) {
    std::vector<DeviceTile> tiles;

    // Tiles that are fine stay shared with other mirrors.
    for (const DeviceTile& tile : part.tiles) {
      const TileState& state = states[t];
      ++t;
      if (state.longest <= lengths_.longest) {
        tiles.push_back(tile);
        continue;
      }

      // The new ones are this mirror's own, and take the place of the old one.
      any = true;
      const std::vector<DeviceTile> rebuilt = build_tiles(
          device_, *part.rows, live_rows(part, tile), lengths_.length.data() + part.first_place);
      tiles.insert(tiles.end(), rebuilt.begin(), rebuilt.end());
    }
    part.tiles = std::move(tiles);
  }
  return any;
}

std::vector<std::uint32_t> DeviceMirror::live_rows(const Part& part, const DeviceTile& tile) const {
  std::vector<std::uint32_t> rows =
      download(*device_, tile.group->row_of.data() + tile.first_slot, tile.slots);
  std::erase_if(rows, [&](std::uint32_t row) {
    // A tile has rows of its segment, and the list knows places of the mirror.
    return list_->is_dead(part.first_place + row);
  });
  return rows;
}

}  // namespace kindred::cuda
