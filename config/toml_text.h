#pragma once

#include <string>
#include <string_view>

namespace kindred {

/// Refuses text that overflows the stack of toml++, or whose mistakes it reports unclearly:
///
/// - other characters than ASCII outside of strings and comments, where TOML has no use for them (a
///   key of other letters is written in quotes),
/// - quotes where no string can begin,
/// - keys of more than 20 parts.
///
/// All other mistakes are left to the parser.
/// @throws Error kInvalidArgument that names `name`, the line and the fault.
void check_toml_text(std::string_view toml, const std::string& name);

}  // namespace kindred
