#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/api.h"

namespace kindred {

/// `text` with U+FFFD in place of every malformed sequence: stray and missing continuation bytes,
/// overlong forms, surrogates, a truncated end. There is one `replacement` for each maximal part,
/// as Unicode 3.9 recommends. Adds their number to `malformed` unless it is null.
std::string repair_utf8(std::string_view text, std::uint64_t* malformed = nullptr,
                        std::string_view replacement = "\uFFFD");

/// A text of JSON in which escaped halves of surrogate pairs, which are no characters but are
/// written by some programs, are replaced by these four hexadecimal digits.
std::string repair_surrogates(std::string_view json, std::string_view digits = "fffd");

/// True if all of `text` is well-formed UTF-8.
bool is_utf8(std::string_view text);

/// True if `text` has ASCII characters only.
bool is_ascii(std::string_view text);

/// `text` with small letters in place of the capitals of ASCII.
KINDRED_API std::string lower_ascii(std::string_view text);

/// The number of characters (code points) of well-formed UTF-8.
std::size_t count_characters(std::string_view text);

/// Replaces each occurrence of `from`, which is not empty, from left to right.
void replace_all(std::string& text, std::string_view from, std::string_view to);

/// Well-formed text in Unicode's normalization form C, without white space (of the property
/// White_Space) at its ends. Malformed text stays as it is.
std::string trimmed_nfc(std::string_view text);

/// The longest prefix of whole characters that has at most `bytes` bytes.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

/// The XXH3 checksum (64 bits) of bytes, as 16 hexadecimal digits.
std::string checksum_text(std::string_view bytes);

}  // namespace kindred
