#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/csr.h"
#include "gpu/knn/backend.h"
#include "gpu/row_set.h"

namespace kindred {

/// Rows of a mirror that took the place of others, or followed the last one, at one time. Immutable
/// once it is shared; backends borrow from it.
struct RowChange {
  std::vector<std::uint32_t> rows;  ///< their numbers in the mirror, ascending
  Csr counts;                       ///< a row for each
  std::vector<std::uint64_t> label_begin{0};
  std::vector<std::uint32_t> label;

  LabelView labels() const { return {counts.rows(), label_begin.data(), label.data()}; }
};

/// The counts of a mirror, row by row: a matrix, and the changes since it was made. Copies share
/// the matrix and the changes, and cost what the rows that changed cost. Rows that are gone are
/// empty.
class RowCounts {
 public:
  struct Row {
    std::span<const std::uint32_t> columns;  ///< ascending
    std::span<const std::uint16_t> counts;   ///< of each
    std::size_t size() const { return columns.size(); }
  };

  RowCounts() : RowCounts(Csr()) {}
  RowCounts(Csr matrix);  // NOLINT(google-explicit-constructor): a matrix is its rows

  std::uint32_t rows() const { return rows_; }        ///< those that are gone included
  std::uint32_t columns() const { return columns_; }  ///< those that no row uses included
  std::uint64_t nonzeros() const { return nonzeros_; }

  Row operator[](std::uint32_t row) const {
    if (row < matrix_->rows() && !moved_.has(row)) return row_of(*matrix_, row);
    return moved_row(row);
  }

  /// True if nothing changed since the matrix was made.
  bool is_matrix() const { return changes_.empty() && moved_.rows() == 0; }
  /// All rows, if is_matrix().
  const Csr& matrix() const { return *matrix_; }
  CsrView view() const { return matrix_->view(); }

  /// Rows take the place of others or follow the last one; the others of `gone` become empty.
  /// `gone` covers all rows, those of `change` included.
  void apply(std::shared_ptr<const RowChange> change, const RowSet& gone);

  /// How often apply() was called, and how many rows are not where the matrix has them.
  std::size_t changes() const { return changes_.size(); }
  std::size_t moved() const { return moved_count_; }
  /// What the last apply() brought; null if is_matrix().
  const std::shared_ptr<const RowChange>& last_change() const { return last_; }

  /// Of the matrix and the changes, which copies share, and of what each copy has of its own.
  std::size_t bytes() const;

 private:
  /// Where a row lies that the matrix does not have, or not any more.
  struct Place {
    std::uint32_t row;
    std::uint32_t change;  ///< number of the change
    std::uint32_t number;  ///< row of the change
  };

  static Row row_of(const Csr& matrix, std::uint32_t row);
  Row moved_row(std::uint32_t row) const;

  std::shared_ptr<const Csr> matrix_;
  std::vector<std::shared_ptr<const RowChange>> changes_;
  std::shared_ptr<const RowChange> last_;
  RowSet moved_;               ///< rows of the matrix that do not count; covers none if all do
  std::vector<Place> places_;  ///< rows ascending
  std::uint32_t rows_ = 0, columns_ = 0;
  std::uint64_t nonzeros_ = 0;
  std::size_t moved_count_ = 0;
};

/// The transpose of all rows: row t of the result lists the rows that hold term t, ascending.
Csr transpose(const RowCounts& rows);

}  // namespace kindred
