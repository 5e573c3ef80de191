#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/api.h"

namespace kindred {

/// The entry of `known` with the least edit distance to `word`; ties go to the first entry. `known`
/// is not empty. For "did you mean".
std::string nearest_of(std::string_view word, const std::vector<std::string>& known);

/// The `count` nearest entries, the nearest first, or all if there are fewer.
std::vector<std::string> nearest_of(std::string_view word, const std::vector<std::string>& known,
                                    std::size_t count);

/// The entry of `known` that `word` perhaps stands for: the only one that begins with it, else the
/// nearest one, if its edit distance is at most one more than a third of the letters of `word`.
/// Dashes in front do not count. "" if there is none.
KINDRED_API std::string likely_of(std::string_view word, const std::vector<std::string>& known);

}  // namespace kindred
