#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "config/api.h"

namespace kindred {

// Integers of which most are 0 or small, as bytes for messages: how many there are, how many of
// them are not 0, and for each of these, how many zeros come before it, and its value, all in 7
// bits a byte.

KINDRED_API std::string packed_values(std::span<const std::int64_t> values);

/// Adds to `values` those that packed_values() has packed.
/// @throws Error kInternal if those were of another number; kCorrupt if the bytes are no such list.
KINDRED_API void add_values(std::string_view bytes, std::span<std::int64_t> values);

}  // namespace kindred
