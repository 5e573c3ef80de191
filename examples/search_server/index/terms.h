#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace search_server {

/// `value` under `prefix`, as Xapian's query parser writes it: with a colon between them if the
/// prefix has several letters, and the value starts with a capital or a colon.
std::string term_of(std::string_view prefix, std::string_view value);

/// The same with a colon in any case, as some programs write it.
std::string colon_term_of(std::string_view prefix, std::string_view value);

/// The value of a term under the prefix; nothing if it has another prefix, or no value.
std::optional<std::string_view> value_of(std::string_view prefix, std::string_view term);

}  // namespace search_server
