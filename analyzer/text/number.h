#pragma once

#include <string_view>

namespace kindred {

/// True for a word without letters that has a digit or another number. `word`: well-formed UTF-8.
bool is_number(std::string_view word);

}  // namespace kindred
