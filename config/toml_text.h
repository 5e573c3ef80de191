#pragma once

#include <string>
#include <string_view>

namespace kindred {

/// Refuses the TOML that toml++ must not see, as it goes beyond its tables or the stack there:
/// anything but ASCII outside of strings and comments, where TOML has no use for it (a key of other
/// letters goes in quotes), quotes where no string can begin, letters beyond ASCII where a string
/// goes on behind a backslash at the end of a line, and keys of more than 20 parts.
/// @throws Error kInvalidArgument naming `name`, the line and the fault. Whatever else is no TOML
/// is left to the parser.
void check_toml_text(std::string_view toml, const std::string& name);

}  // namespace kindred
