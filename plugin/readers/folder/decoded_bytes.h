#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kindred {

/// The longest text that is read of a file or of a part of a mail, in bytes.
inline constexpr std::size_t kMostTextBytes = std::size_t{64} << 20;

/// Bytes as UTF-8. `charset` is what they are said to be, by a name that ICU knows; "" or another
/// name, one of UTF-8 or of Latin: as DecodedText finds it. Never throws for what the bytes are.
std::string decoded_bytes(std::string_view bytes, const std::string& charset);

/// The bytes of an open file from its beginning.
/// @throws Error kInvalidArgument if there are more than kMostTextBytes; kNotFound if they cannot
/// be read.
std::string content_of(int file);

}  // namespace kindred
