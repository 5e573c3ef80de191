#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace kindred {

/// How large a text is as JSON, if it is JSON.
struct JsonExtent {
  std::size_t depth = 0;       ///< of lists and objects in each other
  std::size_t structures = 0;  ///< lists and objects in all
  std::size_t keys = 0;        ///< of the object that has the most
};

/// To know it before the text is parsed keeps parsing linear, and small. nlohmann-json looks
/// through all keys of an ordered object for each new one, and, where a callback is to hear of
/// depths, through all elements of a list; for "{}," it takes 200 times as much memory as the text
/// has.
inline JsonExtent json_extent(std::string_view text) {
  JsonExtent extent;
  std::vector<std::size_t> keys;  // of what is open
  bool is_in_string = false;

  // Brackets inside of strings count for nothing, so the strings are followed, with what a
  // backslash escapes.
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') is_in_string = !is_in_string;
    if (is_in_string && c == '\\') ++i;
    if (is_in_string) continue;

    if (c == '[' || c == '{') {
      keys.push_back(0);
      ++extent.structures;
    }

    // Each key has a colon behind it.
    if (c == ':' && !keys.empty()) {
      ++keys.back();
      extent.keys = std::max(extent.keys, keys.back());
    }
    extent.depth = std::max(extent.depth, keys.size());

    // After the depth is measured, or the innermost brackets would not count.
    if ((c == ']' || c == '}') && !keys.empty()) keys.pop_back();
  }
  return extent;
}

}  // namespace kindred
