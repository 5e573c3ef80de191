#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kindred {

// Integers of which most are 0 or small, as bytes for messages: how many there are, how many of
// them are not 0, and for each of these, how many zeros come before it, and its value, all in 7
// bits a byte. Messages may hold several such blocks.

void append_values(std::span<const std::int64_t> values, std::string& bytes);

/// Adds to `values` those of the block that `bytes` begin with, and takes it off.
/// @throws Error kInternal if those were of another number; kCorrupt if it is no such block.
void add_values(std::string_view& bytes, std::span<std::int64_t> values);

}  // namespace kindred
