#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kindred {

/// Which columns are stop words, and so say nothing about a topic. An index that another program
/// made may have them all, in languages that nothing names. So a built-in list counts if the
/// documents are, at least in part, in its language: a third of its words, or more, are each in one
/// document of a hundred. Case and accents do not matter.
/// @param words column -> word as people write it.
/// @param df the number of documents that each column is in, of `documents`.
std::vector<bool> stop_columns(const std::vector<std::string>& words,
                               const std::vector<std::uint32_t>& df, std::uint64_t documents);

}  // namespace kindred
