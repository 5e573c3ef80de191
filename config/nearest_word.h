#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kindred {

/// The entry of `known` with the least edit distance to `word`; ties go to the first entry. `known`
/// is not empty. For "did you mean".
std::string nearest_of(std::string_view word, const std::vector<std::string>& known);

/// The `count` nearest entries, the nearest first, or all if there are fewer.
std::vector<std::string> nearest_of(std::string_view word, const std::vector<std::string>& known,
                                    std::size_t count);

}  // namespace kindred
