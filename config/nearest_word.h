#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kindred {

/// The entry of `known` with the least edit distance to `word`; ties go to the first entry. `known`
/// is not empty. For "did you mean".
std::string nearest_of(std::string_view word, const std::vector<std::string>& known);

}  // namespace kindred
