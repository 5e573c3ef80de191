#pragma once

#include <string>

#include "plugin/mirror/mirror.h"

namespace kindred::bench {

// What tuning needs of an index, as one compact file, so that it can be measured where there is
// neither Xapian nor the index: the line "kindred-tune-1", then numbers as LEB128, in order
//
//     rows, terms, labels
//     of each row how many terms it has
//     of each row its terms, ascending, each less the one before (the first as it is)
//     of each row the counts of these
//     of each row how many labels it has, and these as its terms
//
// Terms are numbered by df, the most frequent first, so that differences are small. Terms and
// labels go by numbers; what they are called makes no difference to a tuning.

/// @throws std::runtime_error if it cannot be written.
void write_collection(const std::string& path, const Mirror& mirror);

/// Rows are documents 1, 2, ... in order. @throws std::runtime_error if it is not such a file.
Mirror read_collection(const std::string& path);

}  // namespace kindred::bench
