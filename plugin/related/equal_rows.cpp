#include "plugin/related/equal_rows.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace kindred {
namespace {

/// The entries of a row: its columns and counts.
struct Entries {
  Entries(CsrView counts, std::uint32_t row)
      : columns(counts.column + counts.row_begin[row], size_of(counts, row)),
        numbers(counts.count + counts.row_begin[row], size_of(counts, row)) {}

  static std::size_t size_of(CsrView counts, std::uint32_t row) {
    return counts.row_begin[row + std::size_t{1}] - counts.row_begin[row];
  }

  /// Less than 0, 0 or more than 0, in an order of all possible rows.
  int compare(const Entries& other) const {
    if (columns.size() != other.columns.size())
      return columns.size() < other.columns.size() ? -1 : 1;
    const auto [column, their_column] =
        std::mismatch(columns.begin(), columns.end(), other.columns.begin());
    if (column != columns.end()) return *column < *their_column ? -1 : 1;
    const auto [number, their_number] =
        std::mismatch(numbers.begin(), numbers.end(), other.numbers.begin());
    if (number != numbers.end()) return *number < *their_number ? -1 : 1;
    return 0;
  }

  std::span<const std::uint32_t> columns;
  std::span<const std::uint16_t> numbers;
};

}  // namespace

std::vector<std::uint32_t> first_equal_rows(CsrView counts, const RowSet* among) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < counts.rows; ++row) {
    if (among != nullptr && !among->has(row)) continue;
    if (Entries::size_of(counts, row) != 0) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int order = Entries(counts, a).compare(Entries(counts, b));
    return order != 0 ? order < 0 : a < b;
  });
  std::vector<std::uint32_t> first(counts.rows, kNoEqualRow);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_equal = i > 0 && Entries(counts, rows[i]).compare({counts, rows[i - 1]}) == 0;
    first[rows[i]] = is_equal ? first[rows[i - 1]] : rows[i];
  }
  return first;
}

}  // namespace kindred
