#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/csr.h"

namespace kindred::bench {

// The documents of an index with their labels, as one compact file. It has the line
// "kindred-tune-1", then numbers as LEB128:
//
//     the number of rows, of terms, of labels
//     for each row, how many terms it has
//     for each row, its terms, ascending, each as the difference from the one before
//     for each row, the counts of these terms
//     for each row, how many labels it has, and its labels in the same form as terms
//
// Terms are numbered by df, the most frequent first, so that differences are small. Terms and
// labels have numbers only, since their names make no difference to a tuning.

inline constexpr std::string_view kCollectionMagic = "kindred-tune-1\n";

struct CollectionRows {
  Csr counts;
  std::uint32_t labels = 0;                   ///< how many there are
  std::vector<std::uint64_t> label_begin{0};  ///< [rows + 1]
  std::vector<std::uint32_t> label;           ///< of row r: [label_begin[r], label_begin[r + 1])
};

/// @throws std::runtime_error if it is not such a file.
CollectionRows read_collection_rows(const std::string& path);

/// About `n` rows of a matrix, or all if it has fewer, evenly spread.
std::vector<std::uint32_t> spread_rows(const Csr& csr, std::uint32_t n);

/// Some rows of a matrix.
Csr rows_of(const Csr& csr, const std::vector<std::uint32_t>& rows);

}  // namespace kindred::bench
