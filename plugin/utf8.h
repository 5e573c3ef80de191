#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kindred {

/// The text with U+FFFD for each malformed byte sequence: one for each maximal part of a character,
/// as Unicode recommends (The Unicode Standard, section 3.9) and web browsers do.
std::string repair_utf8(std::string_view text);

/// The longest beginning of at most `bytes` bytes that ends with a whole character.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

}  // namespace kindred
