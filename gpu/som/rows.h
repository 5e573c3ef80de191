#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/csr.h"
#include "gpu/queries.h"

namespace kindred {

/// What a map is trained on, or a partition of it: borrowed rows with weights, in CSR; columns
/// ascend strictly inside a row. A device is fastest if frequent columns have low numbers.
struct SomRows {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  const std::uint64_t* row_begin = nullptr;  ///< rows + 1 offsets
  const std::uint32_t* column = nullptr;     ///< each < columns
  const float* weight = nullptr;

  /// Calls visit(column, weight) for the entries of a row.
  template <typename Visit>
  void each_entry(std::uint32_t row, Visit&& visit) const {
    for (std::uint64_t i = row_begin[row]; i < row_begin[row + std::size_t{1}]; ++i)
      visit(column[i], weight[i]);
  }
};

/// Rows in partitions, which together are what a map is trained on.
using Partitions = std::span<const SomRows>;

/// How many rows all partitions have.
inline std::uint64_t count_rows(Partitions partitions) {
  std::uint64_t rows = 0;
  for (const SomRows& partition : partitions) rows += partition.rows;
  return rows;
}

/// Rows [begin, end) of `data`: a partition.
SomRows partition_of(SomRows data, std::uint32_t begin, std::uint32_t end);

/// The weights tf[count] * idf[column] of a matrix of counts, each row normalized to Euclidean
/// length 1. A row without weight stays 0. Weight j belongs to entry j of `counts`.
std::vector<float> unit_weights(CsrView counts, const TermWeighting& weighting);

/// Checks rows on up to `threads` threads (for_each_item()).
/// @throws Error kInvalidArgument naming the first row with a value that is not finite, or with a
/// column out of range or out of order.
void check_rows(const SomRows& data, std::size_t threads);

/// @throws Error kInvalidArgument if the rows do not have so many columns.
void check_columns(const SomRows& rows, std::uint32_t columns);

}  // namespace kindred
