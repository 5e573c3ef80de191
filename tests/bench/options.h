#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace kindred::bench {

/// Reads "--name value" pairs: each option's name and what takes its value.
/// @throws std::invalid_argument for an unknown option, or one that lacks its value.
inline void read_options(
    const std::vector<std::string>& arguments,
    const std::map<std::string, std::function<void(const std::string&)>>& options) {
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const auto option = options.find(arguments[i]);
    if (option == options.end()) throw std::invalid_argument("unknown option " + arguments[i]);
    if (i + 1 == arguments.size()) throw std::invalid_argument(arguments[i] + " lacks a value");
    option->second(arguments[i + 1]);
  }
}

}  // namespace kindred::bench
