#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kindred {

// Integers of which most are 0 or small, as bytes for messages: for each one that is not 0, how
// many zeros come before it, and its value, both in 7 bits a byte.

std::string packed_values(std::span<const std::int64_t> values);

/// Replaces `values` by those that were packed.
/// @throws Error kInternal if those were of another number; kCorrupt if `bytes` are no such values.
void unpack_values(std::string_view bytes, std::span<std::int64_t> values);

}  // namespace kindred
