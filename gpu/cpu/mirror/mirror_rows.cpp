#include "gpu/cpu/mirror/mirror_rows.h"

#include <algorithm>
#include <utility>

#include "gpu/knn/check.h"

namespace kindred::cpu {

MirrorRows::MirrorRows(CsrView matrix, LabelView labels, std::size_t threads)
    : segments_{{0, matrix, labels}}, where_(matrix.rows), columns_(matrix.columns) {
  check_labels(labels, matrix.rows, threads);
}

MirrorRows MirrorRows::changed(const MirrorChange& change, std::size_t threads) const {
  check_change({rows(), columns_}, change, threads);
  std::vector<HostSegment> segments = segments_;
  if (change.added.rows > 0) segments.push_back({places(), change.added, change.added_labels});
  return {std::move(segments), where_.changed(change), std::max(columns_, change.added.columns)};
}

std::span<const std::uint32_t> MirrorRows::labels(std::uint32_t number) const {
  const std::uint32_t place = where_.place_of(number);
  const HostSegment& segment = segment_of(place);
  return segment.labels.of(place - segment.first);
}

std::uint64_t MirrorRows::nonzeros() const {
  std::uint64_t sum = 0;
  for (const HostSegment& segment : segments_) sum += segment.counts.nonzeros();
  return sum;
}

std::size_t MirrorRows::bytes() const {
  return segments_.capacity() * sizeof(HostSegment) + where_.bytes();
}

const MirrorRows::HostSegment& MirrorRows::find_segment(std::uint32_t place) const {
  const auto after = std::upper_bound(
      segments_.begin(), segments_.end(), place,
      [](std::uint32_t wanted, const HostSegment& segment) { return wanted < segment.first; });
  return *std::prev(after);
}

}  // namespace kindred::cpu
