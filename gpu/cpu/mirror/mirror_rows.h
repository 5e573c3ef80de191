#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gpu/csr.h"
#include "gpu/knn/backend.h"
#include "gpu/knn/row_places.h"

namespace kindred::cpu {

/// The rows of a mirror that may have changed, with their labels: a matrix, then the rows that were
/// added to it or replaced some of it. All are borrowed. Rows are found by their places
/// (gpu/knn/row_places.h). Dead places are empty.
class MirrorRows {
 public:
  /// One row's entries: `size` columns, ascending, and their counts.
  struct RowEntries {
    const std::uint32_t* column;
    const std::uint16_t* count;
    std::size_t size;
  };

  /// Checks the labels on up to `threads` threads.
  /// @throws Error kInvalidArgument if the labels are not those of the matrix.
  MirrorRows(CsrView matrix, LabelView labels, std::size_t threads);

  /// These rows after `change`.
  /// @throws Error kInvalidArgument as check_change().
  MirrorRows changed(const MirrorChange& change, std::size_t threads) const;

  const RowPlaces& where() const { return where_; }
  std::uint32_t rows() const { return where_.rows(); }      ///< numbers of rows are below it
  std::uint32_t places() const { return where_.places(); }  ///< places are below it
  std::uint32_t columns() const { return columns_; }
  bool dead(std::uint32_t place) const { return where_.dead().has(place); }
  RowEntries operator[](std::uint32_t place) const {
    if (dead(place)) return {nullptr, nullptr, 0};
    const HostSegment& segment = segment_of(place);
    const std::uint64_t begin = segment.counts.row_begin[place - segment.first];
    const std::uint64_t end = segment.counts.row_begin[place - segment.first + std::size_t{1}];
    return {segment.counts.column + begin, segment.counts.count + begin, end - begin};
  }
  /// The labels of the row of this number.
  std::span<const std::uint32_t> labels(std::uint32_t number) const;

  /// Calls visit(place, entries) for each place of [begin, end), dead ones included.
  template <typename Visit>
  void for_each(std::uint32_t begin, std::uint32_t end, Visit&& visit) const {
    while (begin < end) {
      const HostSegment& segment = segment_of(begin);
      const CsrView& counts = segment.counts;
      const std::uint32_t last = std::min(end, segment.first + counts.rows);
      for (; begin < last; ++begin) {
        const std::uint64_t* const row_begin = counts.row_begin + (begin - segment.first);
        RowEntries row{counts.column + row_begin[0], counts.count + row_begin[0],
                       row_begin[1] - row_begin[0]};
        if (dead(begin)) row.size = 0;
        visit(begin, row);
      }
    }
  }

  std::uint64_t nonzeros() const;  ///< of all places, dead ones included

  /// How many of the places [begin, end) are dead.
  std::uint32_t count_dead(std::uint32_t begin, std::uint32_t end) const {
    return static_cast<std::uint32_t>(where_.dead().count(begin, end));
  }

  std::size_t bytes() const;

 private:
  struct HostSegment {
    std::uint32_t first;  ///< its first place
    CsrView counts;
    LabelView labels;
  };

  MirrorRows(std::vector<HostSegment> segments, RowPlaces where, std::uint32_t columns)
      : segments_(std::move(segments)), where_(std::move(where)), columns_(columns) {}

  const HostSegment& segment_of(std::uint32_t place) const {
    return segments_.size() == 1 ? segments_.front() : find_segment(place);
  }
  const HostSegment& find_segment(std::uint32_t place) const;

  std::vector<HostSegment> segments_;  ///< at least one; those after the first are not empty
  RowPlaces where_;
  std::uint32_t columns_;
};

}  // namespace kindred::cpu
