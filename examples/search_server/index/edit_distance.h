#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace search_server {

/// How many bytes must be put in, left out, changed or swapped with the next to make `a` into `b`
/// (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name that is nearest to `given`, if it is near enough to be meant; else "".
std::string nearest_name(std::string_view given, const std::vector<std::string>& names);

/// ", did you mean 'x'?", or "" if no name is near.
std::string suggestion(std::string_view given, const std::vector<std::string>& names);

}  // namespace search_server
