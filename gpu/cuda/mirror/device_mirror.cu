#include "gpu/cuda/mirror/device_mirror.cuh"

#include <algorithm>
#include <cmath>
#include <cub/device/device_select.cuh>
#include <numeric>
#include <string>

#include "config/error.h"
#include "gpu/cuda/mirror/lengths.cuh"
#include "gpu/knn/check.h"
#include "gpu/scoring.h"

namespace kindred::cuda {
namespace {

[[noreturn]] void refuse(const std::string& fault) {
  throw Error(Errc::kInvalidArgument, "mirror: " + fault);
}

__global__ void number_places_kernel(std::uint32_t first, std::uint32_t n, std::uint32_t* rows) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) rows[i] = first + i;
}

struct IsLive {
  const std::uint32_t* dead;
  __device__ bool operator()(std::uint32_t place) const {
    return (dead[place / 32] >> place % 32 & 1) == 0;
  }
};

std::uint64_t groups_of(std::uint32_t slots) { return (slots + kGroupSlots - 1) / kGroupSlots; }

}  // namespace

DeviceMirror::DeviceMirror(DevicePointer device, Staging& staging, CsrView counts, LabelView labels,
                           const TermWeighting& weighting)
    : device_(std::move(device)), where_(counts.rows) {
  check_labels(labels, counts.rows, staging.threads());
  view_.places = counts.rows;
  view_.columns = counts.columns;
  set_weighting(weighting, nullptr);
  segments_.push_back(std::make_shared<DeviceSegment>(device_, staging, counts, labels, 0));
  set_segments();
  measure(0);
  tiles_ = build_tiles(device_, view_, take_rows(0, counts.rows, 0), length_.data());
  bound();
  length_ = {};
}

DeviceMirror::DeviceMirror(const DeviceMirror& before, Staging& staging, const MirrorChange& change,
                           const TermWeighting& weighting)
    : device_(before.device_),
      segments_(before.segments_),
      tiles_(before.tiles_),
      where_(before.where_) {
  check_change({where_.rows(), before.view_.columns}, change, staging.threads());
  where_ = where_.changed(change);
  view_.places = where_.places();
  view_.columns = std::max(before.view_.columns, change.added.columns);
  set_weighting(weighting, &before);
  if (change.added.rows > 0)
    segments_.push_back(std::make_shared<DeviceSegment>(device_, staging, change.added,
                                                        change.added_labels, before.view_.places));
  set_places();
  set_segments();
  measure(change.longest_of_all);
  if (change.added.rows > 0) {
    std::size_t kept = tiles_.size();  // small tiles are joined: their number stays logarithmic
    std::uint32_t rows = change.added.rows;
    while (kept > 0 && tiles_[kept - 1].slots <= 2 * rows &&
           tiles_[kept - 1].slots + rows <= kTileSlots)
      rows += tiles_[--kept].slots;
    std::vector<DeviceTile> added = build_tiles(
        device_, view_, take_rows(before.view_.places, change.added.rows, kept), length_.data());
    tiles_.resize(kept);
    tiles_.insert(tiles_.end(), added.begin(), added.end());
  }
  bound();
  if (rebuild_worn()) bound();
  length_ = {};
}

void DeviceMirror::set_weighting(const TermWeighting& weighting, const DeviceMirror* before) {
  check_weighting(weighting, view_.columns);
  idf_ = upload<double>(device_, weighting.idf);
  weighting_ = weighting;
  if (before != nullptr && before->weighting_.tf == weighting.tf)
    tf_ = before->tf_;
  else
    tf_ = std::make_shared<DeviceBuffer<double>>(upload<double>(device_, weighting.tf));
  view_.idf = idf_.data();
  view_.tf = tf_->data();
  view_.tf_size = static_cast<std::uint32_t>(weighting.tf.size());
  view_.tf_ascends = std::is_sorted(weighting.tf.begin(), weighting.tf.end());
}

void DeviceMirror::set_segments() {
  std::vector<SegmentView> views;
  for (const auto& segment : segments_) views.push_back(segment->view());
  segment_views_ = upload<SegmentView>(device_, views);
  view_.segments = segment_views_.data();
  view_.segment_count = static_cast<std::uint32_t>(views.size());
  view_.first_segment = views.front();
  view_.largest_count = 0;
  for (const auto& segment : segments_)
    view_.largest_count = std::max(view_.largest_count, segment->largest_count());
}

void DeviceMirror::set_places() {
  dead_bits_ = upload<std::uint64_t>(device_, where_.dead().words());
  if (!where_.has_moved()) return;
  std::vector<std::uint32_t> numbers(where_.places());
  for (std::uint32_t place = 0; place < where_.places(); ++place)
    numbers[place] = where_.number_at(place);
  row_numbers_ = upload<std::uint32_t>(device_, numbers);
  row_places_ = upload<std::uint32_t>(device_, where_.place());
  view_.row_numbers = row_numbers_.data();
  view_.row_places = row_places_.data();
}

/// Lengths, scale and reciprocals.
void DeviceMirror::measure(double longest_of_all) {
  const auto* dead = reinterpret_cast<const std::uint32_t*>(dead_bits_.data());
  length_ = DeviceBuffer<double>(device_, view_.places);
  reciprocal_ = DeviceBuffer<double>(device_, view_.places);
  DeviceBuffer<RowState> device_state(device_, 1);
  measure_lengths(view_, dead, length_.data(), device_state.data(), device_->stream());
  const RowState state = fetch(device_, device_state.data());
  if (state.largest_count > 0)
    refuse("a count of " + std::to_string(state.largest_count) +
           ", but the table of term frequencies has " + std::to_string(view_.tf_size) + " values");
  if (!std::isfinite(state.longest)) refuse("the length of a row is not finite");
  longest_ = state.longest;
  longest_of_all_ = std::max(longest_, longest_of_all);
  const int exponent = scale_exponent(longest_of_all_);
  view_.scale = std::ldexp(1.0, exponent);
  unit_ = std::ldexp(1.0, -exponent);
  const double common = weighting_.divisor == RowDivisor::kLongest ? longest_of_all_ : 0;
  invert_lengths(length_.data(), dead, view_.places, common, unit_, reciprocal_.data(),
                 device_->stream());
  view_.reciprocal = reciprocal_.data();
}

/// The views of the tiles, without their lengths.
void DeviceMirror::set_tiles() {
  host_tiles_.clear();
  slots_ = 0;
  for (const DeviceTile& tile : tiles_) slots_ += groups_of(tile.slots) * kGroupSlots;
  bounds_ = DeviceBuffer<float2>(device_, slots_ / kGroupSlots);
  most_entries_ = DeviceBuffer<std::uint16_t>(device_, slots_ / kGroupSlots);
  slot_length_ = DeviceBuffer<float>(device_, slots_);
  largest_words_ = 0;
  view_.has_mixed_runs = false;
  std::uint64_t slot = 0;
  for (const DeviceTile& tile : tiles_) {
    const TileGroup& group = *tile.group;
    view_.has_mixed_runs |= group.has_mixed_runs;
    host_tiles_.push_back({group.term_runs.data() + std::uint64_t{tile.number} * (group.terms + 1),
                           group.runs.data(), group.chunks.data(),
                           group.place_of.data() + tile.first_slot,
                           bounds_.data() + slot / kGroupSlots,
                           most_entries_.data() + slot / kGroupSlots, slot_length_.data() + slot, 0,
                           0, group.terms, tile.slots, static_cast<std::uint32_t>(slot)});
    slot += groups_of(tile.slots) * kGroupSlots;
    largest_words_ = std::max(largest_words_,
                              static_cast<std::uint32_t>(groups_of(tile.slots) * kGroupSlots / 2));
  }
  tile_views_ = upload<TileView>(device_, host_tiles_);
  view_.tiles = tile_views_.data();
  view_.tile_count = static_cast<std::uint32_t>(tiles_.size());
}

void DeviceMirror::bound() {
  set_tiles();
  std::vector<TileState> states(tiles_.size());
  DeviceBuffer<TileState> device_states(device_, tiles_.size());
  const cudaStream_t stream = device_->stream();
  bound_tiles(view_, length_.data(), {bounds_.data(), most_entries_.data(), slot_length_.data()},
              device_states.data(), stream);
  if (has_dead()) {
    live_slots_ = DeviceBuffer<std::uint32_t>(device_, slots_ / 32);
    gather_slot_bits(view_.tiles, view_.tile_count, nullptr, reciprocal_.data(), live_slots_.data(),
                     stream);
  }
  cuda_check(cudaMemcpyAsync(states.data(), device_states.data(), states.size() * sizeof(TileState),
                             cudaMemcpyDeviceToHost, stream),
             "bounds");
  cuda_check(cudaStreamSynchronize(stream), "bounds");
  tile_longest_.clear(), tile_dead_.clear();
  for (std::size_t t = 0; t < states.size(); ++t) {
    host_tiles_[t].longest = states[t].longest / unit_;
    host_tiles_[t].middle = states[t].middle;
    tile_longest_.push_back(states[t].longest);
    tile_dead_.push_back(states[t].dead);
  }
  tile_views_ = upload<TileView>(device_, host_tiles_);
  view_.tiles = tile_views_.data();
}

/// Rebuilds tiles without their dead documents where these are many, or where one of them is longer
/// than every live document: the scale leaves no room for its sums.
bool DeviceMirror::rebuild_worn() {
  if (!has_dead()) return false;
  std::vector<DeviceTile> tiles;
  bool has_worn = false;
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    if (tile_dead_[t] * 4 < std::max(tiles_[t].slots, 1u) && tile_longest_[t] <= longest_of_all_) {
      tiles.push_back(tiles_[t]);
      continue;
    }
    has_worn = true;
    const std::vector<DeviceTile> rebuilt =
        build_tiles(device_, view_, live_rows(tiles_[t]), length_.data());
    tiles.insert(tiles.end(), rebuilt.begin(), rebuilt.end());
  }
  tiles_ = std::move(tiles);
  return has_worn;
}

/// The places of a new tile's rows: `count` from `first_place` on, and those of the tiles from
/// `tiles_from` on.
DeviceBuffer<std::uint32_t> DeviceMirror::take_rows(std::uint32_t first_place, std::uint32_t count,
                                                    std::size_t tiles_from) const {
  std::uint32_t n = count;
  for (std::size_t t = tiles_from; t < tiles_.size(); ++t) n += tiles_[t].slots;
  DeviceBuffer<std::uint32_t> rows(device_, n);
  std::uint32_t* to = rows.data();
  for (std::size_t t = tiles_from; t < tiles_.size(); ++t) {
    cuda_check(
        cudaMemcpyAsync(to, tiles_[t].group->place_of.data() + tiles_[t].first_slot,
                        tiles_[t].slots * sizeof(*to), cudaMemcpyDeviceToDevice, device_->stream()),
        "building tiles");
    to += tiles_[t].slots;
  }
  if (count == 0) return rows;
  number_places_kernel<<<(count + 255) / 256, 256, 0, device_->stream()>>>(first_place, count, to);
  launch_check("number_places_kernel");
  return rows;
}

DeviceBuffer<std::uint32_t> DeviceMirror::live_rows(const DeviceTile& tile) const {
  DeviceBuffer<std::uint32_t> found(device_, tile.slots), count(device_, 1);
  const std::uint32_t* rows = tile.group->place_of.data() + tile.first_slot;
  std::size_t bytes = 0;
  const IsLive is_live{reinterpret_cast<const std::uint32_t*>(dead_bits_.data())};
  const cudaStream_t stream = device_->stream();
  const auto n = static_cast<int>(tile.slots);
  cuda_check(
      cub::DeviceSelect::If(nullptr, bytes, rows, found.data(), count.data(), n, is_live, stream),
      "building tiles");
  DeviceBuffer<unsigned char> scratch(device_, bytes);
  cuda_check(cub::DeviceSelect::If(scratch.data(), bytes, rows, found.data(), count.data(), n,
                                   is_live, stream),
             "building tiles");
  const std::uint32_t live = fetch(device_, count.data());
  DeviceBuffer<std::uint32_t> result(device_, live);
  cuda_check(cudaMemcpyAsync(result.data(), found.data(), live * sizeof(std::uint32_t),
                             cudaMemcpyDeviceToDevice, stream),
             "building tiles");
  cuda_check(cudaStreamSynchronize(stream), "building tiles");
  return result;
}

std::uint64_t DeviceMirror::entries() const {
  return std::accumulate(
      segments_.begin(), segments_.end(), std::uint64_t{0},
      [](std::uint64_t entries, const auto& segment) { return entries + segment->entries(); });
}

std::vector<std::uint32_t> DeviceMirror::row_sizes() const {
  std::vector<std::uint32_t> sizes;
  sizes.reserve(view_.places);
  for (const auto& segment : segments_) {
    if (segment->rows() == 0) continue;
    std::vector<std::uint64_t> begin(std::size_t{segment->rows()} + 1);
    cuda_check(
        cudaMemcpyAsync(begin.data(), segment->view().row_begin, begin.size() * sizeof(begin[0]),
                        cudaMemcpyDeviceToHost, device_->stream()),
        "sizes of rows");
    cuda_check(cudaStreamSynchronize(device_->stream()), "sizes of rows");
    for (std::size_t row = 0; row + 1 < begin.size(); ++row)
      sizes.push_back(static_cast<std::uint32_t>(begin[row + 1] - begin[row]));
  }
  return sizes;
}

std::uint32_t DeviceMirror::most_labels() const {
  return std::accumulate(segments_.begin(), segments_.end(), 0u,
                         [](std::uint32_t most, const auto& segment) {
                           return std::max(most, segment->most_labels());
                         });
}

std::uint32_t DeviceMirror::label_count() const {
  return std::accumulate(segments_.begin(), segments_.end(), 0u,
                         [](std::uint32_t most, const auto& segment) {
                           return std::max(most, segment->label_count());
                         });
}

std::span<const std::uint32_t> DeviceMirror::labels(std::uint32_t number) const {
  const std::uint32_t place = where_.place_of(number);
  const auto after = std::upper_bound(
      segments_.begin(), segments_.end(), place,
      [](std::uint32_t p, const auto& segment) { return p < segment->first_place(); });
  const DeviceSegment& segment = **std::prev(after);
  return segment.labels().of(place - segment.first_place());
}

}  // namespace kindred::cuda
