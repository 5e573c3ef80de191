#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace search_server {

/// `value` under `prefix`, as Xapian's query parser writes it: with a colon between them if the
/// prefix has several letters, and the value starts with a capital or a colon.
std::string term_of(std::string_view prefix, std::string_view value);

/// The same with a colon in any case, as some programs write it.
std::string colon_term_of(std::string_view prefix, std::string_view value);

/// The value of a term under the prefix; nothing if it has another prefix, or no value.
std::optional<std::string_view> value_of(std::string_view prefix, std::string_view term);

/// The label that such a value names, as Kindred lists it: in Unicode's normalization form C,
/// without white space at its ends. Malformed UTF-8 stays.
std::string label_name(std::string_view value);

/// The values under which programs write a label: as it is given, and in each normalization form.
std::vector<std::string> label_spellings(const std::string& label);

}  // namespace search_server
