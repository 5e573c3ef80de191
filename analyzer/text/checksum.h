#pragma once

#include <string>
#include <string_view>

namespace kindred {

/// The XXH3 checksum (64 bits) of bytes, as 16 hexadecimal digits.
std::string checksum_text(std::string_view bytes);

}  // namespace kindred
