#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "config/api.h"

// Names (ids, labels, terms) are bytes. JSON has texts, so a name needs a written form.

namespace kindred {

/// A name as answers have it: a backslash is written as two, and a byte that is not UTF-8 as \xNN.
KINDRED_API std::string written_name(std::string_view bytes);

/// The bytes that such a name stands for.
/// @throws Error kInvalidArgument for a backslash before anything else.
KINDRED_API std::string read_name(std::string_view written);

/// The key of a record whose strings, keys included, are all written in this form. Records without
/// it have their strings as they are.
inline constexpr const char* kEscapedStrings = "escaped_strings";

/// Gives a record that JSON could not hold, for a string that is not UTF-8, this form and that key.
/// Any other stays as it is.
void escape_strings(nlohmann::ordered_json& record);

/// Takes the key off a record, and the escapes with it. True if it had the key.
/// @throws Error kInvalidArgument as read_name().
KINDRED_API bool unescape_strings(nlohmann::json& record);
KINDRED_API bool unescape_strings(nlohmann::ordered_json& record);

}  // namespace kindred
