#pragma once

#include <cstdint>
#include <vector>

#include "gpu/csr.h"

namespace kindred {

/// A matrix whose columns have other numbers: the more entries a column has, the lower its number.
/// Most entries are of few columns, so what is kept by column then stays near the processor.
/// Entries have the order that they had in their rows, so that sums over them stay the same.
class FrequentFirst {
 public:
  /// Borrows the matrix.
  explicit FrequentFirst(const CsrView& matrix);

  /// Columns do not ascend in a row.
  CsrView view() const;
  /// Values by column, as the new numbers have them.
  std::vector<double> renumbered(const std::vector<double>& values) const;
  /// The former number of a column.
  std::uint32_t former(std::uint32_t column) const { return former_[column]; }
  /// Values by column, as the former numbers have them.
  std::vector<double> restored(const std::vector<double>& values) const;

 private:
  CsrView matrix_;
  std::vector<std::uint32_t> former_;
  std::vector<std::uint32_t> column_;  ///< of each entry
};

}  // namespace kindred
