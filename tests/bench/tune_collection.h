#pragma once

#include <cstdint>
#include <string>

#include "plugin/mirror/mirror.h"

namespace kindred::bench {

// The part of an index that tuning needs, as one compact file, so that tuning can be measured on
// machines without Xapian and the index. The file has the line "kindred-tune-1", then numbers as
// LEB128:
//
//     the number of rows, of terms, of labels
//     for each row, how many terms it has
//     for each row, its terms, ascending, each as the difference from the one before
//     for each row, the counts of these terms
//     for each row, how many labels it has, and its labels in the same form as terms
//
// Terms are numbered by df, the most frequent first, so that differences are small. Terms and
// labels have numbers only, since their names make no difference to a tuning.

/// @throws std::runtime_error if it cannot be written.
void write_collection(const std::string& path, const Mirror& mirror);

/// Rows are documents 1, 2, ... in order. @throws std::runtime_error if it is not such a file.
Mirror read_collection(const std::string& path);

/// Documents of RCV1's shape (rcv1_shape.h), each with one of 500 labels: the number of its first
/// term modulo 500. The same documents everywhere, and the first of more documents have other
/// terms.
Mirror drawn_collection(std::uint32_t rows);

}  // namespace kindred::bench
