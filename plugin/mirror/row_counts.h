#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gpu/csr.h"
#include "gpu/segment_list.h"

namespace kindred {

/// The counts of a mirror, row by row. Copies share them.
class RowCounts {
 public:
  struct Row {
    std::span<const std::uint32_t> columns;  ///< ascending
    std::span<const std::uint16_t> counts;   ///< of each
    std::size_t size() const { return columns.size(); }
  };

  RowCounts() = default;
  explicit RowCounts(SegmentListPointer list) : list_(std::move(list)) {}
  explicit RowCounts(Csr matrix);

  std::uint32_t rows() const { return list_->rows(); }
  std::uint32_t columns() const { return list_->columns(); }  ///< those that no row uses included
  const SegmentListPointer& list() const { return list_; }

  Row operator[](std::uint32_t row) const {
    const RowEntries entries = list_->row(row);
    return {{entries.column, entries.size}, {entries.count, entries.size}};
  }

  /// A copy of all rows, for those that need one matrix.
  Csr matrix() const;

 private:
  SegmentListPointer list_ = std::make_shared<const SegmentList>();
};

/// The transpose of all rows: row t of the result lists the rows that hold term t, ascending.
Csr transpose(const RowCounts& rows);

/// The labels of a mirror's rows. Copies share them.
class RowLabels {
 public:
  RowLabels() = default;
  explicit RowLabels(SegmentListPointer list) : list_(std::move(list)) {}
  RowLabels(LabelView labels);  // NOLINT(google-explicit-constructor): borrows the labels

  std::uint32_t rows() const { return list_->rows(); }
  std::span<const std::uint32_t> of(std::uint32_t row) const { return list_->labels(row); }

 private:
  SegmentListPointer list_ = std::make_shared<const SegmentList>();
};

}  // namespace kindred
