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
  if (change.dead == nullptr) return result;
  result.dead_.grow(result.rows_);
  result.dead_ |= *change.dead;
  return result;
}

std::span<const std::uint32_t> MirrorRows::labels(std::uint32_t row) const {
  const HostSegment& segment = segment_of(row);
  return segment.labels.of(row - segment.first);
}

std::size_t MirrorRows::bytes() const {
  return segments_.capacity() * sizeof(HostSegment) + dead_.bytes();
}

const MirrorRows::HostSegment& MirrorRows::find_segment(std::uint32_t row) const {
  const auto after = std::upper_bound(
      segments_.begin(), segments_.end(), row,
      [](std::uint32_t wanted, const HostSegment& segment) { return wanted < segment.first; });
  return *std::prev(after);
}

}  // namespace kindred::cpu
