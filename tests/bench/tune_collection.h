#pragma once

#include <cstdint>
#include <string>

#include "plugin/mirror/mirror.h"

namespace kindred::bench {

// What tuning needs of an index, as a file of collection_rows.h, so that it can be measured on
// machines without Xapian and the index.

/// @throws std::runtime_error if it cannot be written.
void write_collection(const std::string& path, const Mirror& mirror);

/// Rows are documents 1, 2, ... in order. @throws std::runtime_error if it is not such a file.
Mirror read_collection(const std::string& path);

/// Documents of RCV1's shape (rcv1_shape.h), each with one of 500 labels: the number of its first
/// term modulo 500. The same documents everywhere, and the first of more documents have other
/// terms.
Mirror drawn_collection(std::uint32_t rows);

}  // namespace kindred::bench
