#pragma once

#include <string>
#include <string_view>

#include "http/request.h"

namespace search_server {

bool is_utf8(std::string_view text);

/// `text` with its letters A to Z in lower case, for names that HTTP compares without case.
std::string lower_ascii(std::string text);

/// "%41" becomes "A". A "%" without two hexadecimal digits stays.
std::string percent_decode(std::string_view text);

/// Everything but letters, digits, "-", ".", "_" and "~" becomes "%XX": a segment of a path, or a
/// name or value of a query.
std::string percent_encode(std::string_view text);

/// The parameters of a query or of a form (application/x-www-form-urlencoded).
/// @throws Problem 400 for those that are not UTF-8.
Parameters parse_parameters(std::string_view text);

/// The bytes as a gzip.
std::string gzip(std::string_view bytes);

}  // namespace search_server
