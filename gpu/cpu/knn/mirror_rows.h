#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/csr.h"
#include "gpu/knn/backend.h"

namespace kindred::cpu {

/// The rows of a mirror that may have grown, with their labels: a matrix, then the rows that were
/// added to it. All are borrowed. Dead rows are empty.
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

  /// These rows after `change`. Rows that were dead stay dead.
  /// @throws Error kInvalidArgument as check_change().
  MirrorRows changed(const MirrorChange& change, std::size_t threads) const;

  std::uint32_t rows() const { return rows_; }
  std::uint32_t columns() const { return columns_; }
  bool dead(std::uint32_t row) const { return dead_.has(row); }
  RowEntries operator[](std::uint32_t row) const {
    if (dead(row)) return {nullptr, nullptr, 0};
    const HostSegment& segment = segment_of(row);
    const std::uint64_t begin = segment.counts.row_begin[row - segment.first];
    const std::uint64_t end = segment.counts.row_begin[row - segment.first + std::size_t{1}];
    return {segment.counts.column + begin, segment.counts.count + begin, end - begin};
  }
  std::span<const std::uint32_t> labels(std::uint32_t row) const;

  /// How many of the rows [begin, end) are dead.
  std::uint32_t count_dead(std::uint32_t begin, std::uint32_t end) const {
    return static_cast<std::uint32_t>(dead_.count(begin, end));
  }

  std::size_t bytes() const;

 private:
  struct HostSegment {
    std::uint32_t first;  ///< its first row
    CsrView counts;
    LabelView labels;
  };

  const HostSegment& segment_of(std::uint32_t row) const {
    return segments_.size() == 1 ? segments_.front() : find_segment(row);
  }
  const HostSegment& find_segment(std::uint32_t row) const;

  std::vector<HostSegment> segments_;  ///< at least one; those after the first are not empty
  std::uint32_t rows_, columns_;
  RowSet dead_;  ///< covers no rows until some are dead
};

}  // namespace kindred::cpu
