#pragma once

#include <string_view>

namespace kindred {

/// The content of config/languages.toml.
std::string_view builtin_languages();

}  // namespace kindred
