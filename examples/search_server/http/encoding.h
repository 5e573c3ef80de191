#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "http/request.h"

namespace search_server {

bool is_utf8(std::string_view text);

/// `text` with its letters A to Z in lower case, for names that HTTP compares without case.
std::string lower_ascii(std::string text);

/// "%41" becomes "A"; "+" a space if `plus_is_space`. Nothing if a "%" is not followed by two
/// hexadecimal digits, or if the result is not UTF-8.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space = false);

/// Everything but letters, digits, "-", ".", "_" and "~" becomes "%XX": a segment of a path, or a
/// name or value of a query.
std::string percent_encode(std::string_view text);

/// The parameters of a query or of a form (application/x-www-form-urlencoded).
/// @throws Problem 400 for what percent_decode() refuses, and beyond 1000 parameters.
Parameters parse_parameters(std::string_view text);

/// The body of a form. @throws Problem 415 if it is none, 413 beyond `limit` bytes, 400 as
/// parse_parameters().
Parameters form_parameters(const Request& request, std::size_t limit);

}  // namespace search_server
