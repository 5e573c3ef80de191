#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kindred {

/// The one of `known`, not empty, that takes the fewest changed letters to become `word`; the first
/// of several. For "did you mean".
std::string nearest_of(std::string_view word, const std::vector<std::string>& known);

}  // namespace kindred
