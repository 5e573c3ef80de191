#include "gpu/cuda/device/device_mirror.cuh"

#include <algorithm>
#include <cmath>
#include <cub/device/device_select.cuh>
#include <ranges>
#include <string>

#include "config/error.h"
#include "gpu/cuda/device/lengths.cuh"
#include "gpu/knn/backend.h"
#include "gpu/scoring.h"

namespace kindred::cuda {
namespace {

[[noreturn]] void refuse(const std::string& fault) {
  throw Error(Errc::kInvalidArgument, "mirror: " + fault);
}

__global__ void number_rows_kernel(std::uint32_t n, std::uint32_t* rows) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) rows[i] = i;
}

struct IsLive {
  const std::uint32_t* dead;
  std::uint32_t first_place;
  __device__ bool operator()(std::uint32_t row) const {
    const std::uint32_t place = first_place + row;
    return (dead[place / 32] >> place % 32 & 1) == 0;
  }
};

std::uint64_t groups_of(std::uint32_t slots) { return (slots + kGroupSlots - 1) / kGroupSlots; }

}  // namespace

DeviceMirror::DeviceMirror(DevicePointer device, Staging& staging, SegmentListPointer list,
                           const TermWeighting& weighting, const DeviceMirror* before,
                           double longest_elsewhere)
    : device_(std::move(device)), list_(std::move(list)) {
  view_.places = list_->places();
  view_.columns = list_->columns();
  set_weighting(weighting, before);
  set_parts(staging, before);
  set_places();
  measure(longest_elsewhere);
  for (Part& part : parts_)
    if (part.tiles.empty())
      part.tiles =
          build_tiles(device_, *part.rows, all_rows(part), length_.data() + part.first_place);
  bound();
  if (rebuild_tiles()) bound();
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

void DeviceMirror::set_parts(Staging& staging, const DeviceMirror* before) {
  std::vector<SegmentView> views;
  view_.largest_count = 0;
  for (const auto& [segment, first_place] : list_->parts()) {
    Part part{segment, first_place, nullptr, {}};
    if (before != nullptr) {
      const auto known = std::ranges::find(before->parts_, segment, &Part::segment);
      if (known != before->parts_.end()) part.rows = known->rows, part.tiles = known->tiles;
    }
    if (part.rows == nullptr)
      part.rows = std::make_shared<const DeviceSegment>(device_, staging, *segment);
    views.push_back(part.rows->view(first_place));
    view_.largest_count = std::max(view_.largest_count, part.rows->largest_count());
    parts_.push_back(std::move(part));
  }
  segment_views_ = upload<SegmentView>(device_, views);
  view_.segments = segment_views_.data();
  view_.segment_count = static_cast<std::uint32_t>(views.size());
  if (!views.empty()) view_.first_segment = views.front();
}

void DeviceMirror::set_places() {
  dead_bits_ = upload<std::uint64_t>(device_, list_->dead().words());
  if (!list_->has_moved()) return;
  row_numbers_ = upload<std::uint32_t>(device_, list_->number());
  row_places_ = upload<std::uint32_t>(device_, list_->place());
  view_.row_numbers = row_numbers_.data();
  view_.row_places = row_places_.data();
}

/// Lengths, scale and reciprocals.
void DeviceMirror::measure(double longest_elsewhere) {
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
  longest_of_all_ = std::max(longest_, longest_elsewhere);
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
  for (const Part& part : parts_)
    for (const DeviceTile& tile : part.tiles) slots_ += groups_of(tile.slots) * kGroupSlots;
  bounds_ = DeviceBuffer<float2>(device_, slots_ / kGroupSlots);
  most_entries_ = DeviceBuffer<std::uint16_t>(device_, slots_ / kGroupSlots);
  slot_length_ = DeviceBuffer<float>(device_, slots_);
  largest_words_ = 0;
  view_.has_mixed_runs = false;
  std::uint64_t slot = 0;
  for (const Part& part : parts_) {
    for (const DeviceTile& tile : part.tiles) {
      const TileGroup& group = *tile.group;
      const std::uint64_t slots = groups_of(tile.slots) * kGroupSlots;
      view_.has_mixed_runs |= group.has_mixed_runs;
      host_tiles_.push_back(
          {group.term_runs.data() + std::uint64_t{tile.number} * (group.terms + 1),
           group.runs.data(), group.chunks.data(), group.row_of.data() + tile.first_slot,
           bounds_.data() + slot / kGroupSlots, most_entries_.data() + slot / kGroupSlots,
           slot_length_.data() + slot, 0, 0, group.terms, tile.slots,
           static_cast<std::uint32_t>(slot), part.first_place});
      slot += slots;
      largest_words_ = std::max(largest_words_, static_cast<std::uint32_t>(slots / 2));
    }
  }
  tile_views_ = upload<TileView>(device_, host_tiles_);
  view_.tiles = tile_views_.data();
  view_.tile_count = static_cast<std::uint32_t>(host_tiles_.size());
}

void DeviceMirror::bound() {
  set_tiles();
  std::vector<TileState> states(host_tiles_.size());
  DeviceBuffer<TileState> device_states(device_, states.size());
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
  tile_longest_.clear();
  for (std::size_t t = 0; t < states.size(); ++t) {
    host_tiles_[t].longest = states[t].longest / unit_;
    host_tiles_[t].middle = states[t].middle;
    tile_longest_.push_back(states[t].longest);
  }
  tile_views_ = upload<TileView>(device_, host_tiles_);
  view_.tiles = tile_views_.data();
}

/// Rebuilds tiles without their dead documents where one of these is longer than every live
/// document: the scale leaves no room for its sums.
bool DeviceMirror::rebuild_tiles() {
  if (!has_dead()) return false;
  bool any = false;
  std::size_t t = 0;  // among all tiles
  for (Part& part : parts_) {
    std::vector<DeviceTile> tiles;
    for (const DeviceTile& tile : part.tiles) {
      if (tile_longest_[t++] <= longest_of_all_) {
        tiles.push_back(tile);
        continue;
      }
      any = true;
      const std::vector<DeviceTile> rebuilt = build_tiles(
          device_, *part.rows, live_rows(part, tile), length_.data() + part.first_place);
      tiles.insert(tiles.end(), rebuilt.begin(), rebuilt.end());
    }
    part.tiles = std::move(tiles);
  }
  return any;
}

DeviceBuffer<std::uint32_t> DeviceMirror::all_rows(const Part& part) const {
  const std::uint32_t n = part.segment->counts.rows;
  DeviceBuffer<std::uint32_t> rows(device_, n);
  if (n == 0) return rows;
  number_rows_kernel<<<(n + 255) / 256, 256, 0, device_->stream()>>>(n, rows.data());
  launch_check("number_rows_kernel");
  return rows;
}

DeviceBuffer<std::uint32_t> DeviceMirror::live_rows(const Part& part,
                                                    const DeviceTile& tile) const {
  DeviceBuffer<std::uint32_t> found(device_, tile.slots), count(device_, 1);
  const std::uint32_t* rows = tile.group->row_of.data() + tile.first_slot;
  const IsLive is_live{reinterpret_cast<const std::uint32_t*>(dead_bits_.data()), part.first_place};
  const cudaStream_t stream = device_->stream();
  with_scratch(device_, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, rows, found.data(), count.data(),
                                 static_cast<int>(tile.slots), is_live, stream);
  });
  const std::uint32_t live = fetch(device_, count.data());
  DeviceBuffer<std::uint32_t> result(device_, live);
  cuda_check(cudaMemcpyAsync(result.data(), found.data(), live * sizeof(std::uint32_t),
                             cudaMemcpyDeviceToDevice, stream),
             "building tiles");
  cuda_check(cudaStreamSynchronize(stream), "building tiles");
  return result;
}

std::uint64_t DeviceMirror::entries() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts_) sum += part.rows->entries();
  return sum;
}

std::vector<std::uint32_t> DeviceMirror::row_sizes() const {
  std::vector<std::uint32_t> sizes(view_.places);
  list_->for_each(0, view_.places, [&](std::uint32_t place, const RowEntries& row) {
    sizes[place] = static_cast<std::uint32_t>(row.size);
  });
  return sizes;
}

std::uint32_t DeviceMirror::most_labels() const {
  std::uint32_t most = 0;
  for (const Part& part : parts_) most = std::max(most, part.rows->most_labels());
  return most;
}

std::uint32_t DeviceMirror::label_count() const {
  std::uint32_t count = 0;
  for (const Part& part : parts_) count = std::max(count, part.rows->label_count());
  return count;
}

}  // namespace kindred::cuda
