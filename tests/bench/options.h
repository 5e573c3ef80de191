#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace kindred::bench {

using TakeValue = std::function<void(const std::string&)>;

/// Puts the value of an option into a text or a number.
template <typename T>
TakeValue into(T& target) {
  return [&target](const std::string& value) {
    if constexpr (std::is_arithmetic_v<T>)
      target = static_cast<T>(std::stod(value));
    else
      target = value;
  };
}

/// Reads "--name value" pairs: each option's name and what takes its value.
/// @throws std::invalid_argument for an unknown option, or one that lacks its value.
inline void read_options(const std::vector<std::string>& arguments,
                         const std::map<std::string, TakeValue>& options) {
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const auto option = options.find(arguments[i]);
    if (option == options.end()) throw std::invalid_argument("unknown option " + arguments[i]);
    if (i + 1 == arguments.size()) throw std::invalid_argument(arguments[i] + " lacks a value");
    option->second(arguments[i + 1]);
  }
}

/// What a benchmark does with its arguments. Each program has its own, which main.cpp calls.
/// @throws whatever is wrong; main.cpp prints it.
void run_bench(std::vector<std::string> arguments);

/// The arguments that come first; takes them out of `arguments`.
/// @throws std::invalid_argument with `usage` if there are fewer.
inline std::vector<std::string> first_arguments(std::vector<std::string>& arguments,
                                                std::size_t count, const char* usage) {
  if (arguments.size() < count) throw std::invalid_argument(std::string("usage: ") + usage);
  const auto end = arguments.begin() + static_cast<std::ptrdiff_t>(count);
  const std::vector<std::string> first(arguments.begin(), end);
  arguments.erase(arguments.begin(), end);
  return first;
}

}  // namespace kindred::bench
