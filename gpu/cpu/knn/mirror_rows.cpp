#include "gpu/cpu/knn/mirror_rows.h"

#include <algorithm>

#include "gpu/knn/check.h"

namespace kindred::cpu {

MirrorRows::MirrorRows(CsrView matrix, LabelView labels, std::size_t threads)
    : segments_{{0, matrix, labels}}, rows_(matrix.rows), columns_(matrix.columns) {
  check_labels(labels, matrix.rows, threads);
}

MirrorRows MirrorRows::changed(const MirrorChange& change, std::size_t threads) const {
  check_change({rows_, columns_}, change, threads);
  MirrorRows result = *this;
  if (change.added.rows > 0) {
    result.segments_.push_back({rows_, change.added, change.added_labels});
    result.rows_ += change.added.rows;
  }
  result.columns_ = std::max(columns_, change.added.columns);
  const std::size_t words = (std::size_t{result.rows_} + 63) / 64;
  if (change.dead != nullptr || !dead_.empty()) result.dead_.resize(words);
  if (change.dead == nullptr) return result;
  for (std::size_t i = 0; i < words; ++i) result.dead_[i] |= (*change.dead)[i];
  if (result.rows_ % 64 != 0)  // bits past the end mean nothing
    result.dead_.back() &= (std::uint64_t{1} << result.rows_ % 64) - 1;
  return result;
}

std::span<const std::uint32_t> MirrorRows::labels(std::uint32_t row) const {
  const HostSegment& segment = segment_of(row);
  return segment.labels.of(row - segment.first);
}

std::uint32_t MirrorRows::count_dead(std::uint32_t begin, std::uint32_t end) const {
  std::uint32_t count = 0;
  if (dead_.empty()) return count;
  for (std::uint32_t row = begin; row < end; ++row) count += dead(row) ? 1 : 0;
  return count;
}

std::size_t MirrorRows::bytes() const {
  return segments_.capacity() * sizeof(HostSegment) + dead_.capacity() * sizeof(dead_[0]);
}

const MirrorRows::HostSegment& MirrorRows::find_segment(std::uint32_t row) const {
  const auto after = std::upper_bound(
      segments_.begin(), segments_.end(), row,
      [](std::uint32_t wanted, const HostSegment& segment) { return wanted < segment.first; });
  return *std::prev(after);
}

}  // namespace kindred::cpu
