#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace kindred {

/// Takes what precedes `mark` off the front of a text, and the mark; the whole if there is none.
inline std::string_view split_off(std::string_view& text, std::string_view mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view front = text.substr(0, end);
  text.remove_prefix(std::min(end + mark.size(), text.size()));
  return front;
}

/// True, and it is taken off, if the text begins with `mark`.
inline bool consume(std::string_view& text, std::string_view mark) {
  if (!text.starts_with(mark)) return false;
  text.remove_prefix(mark.size());
  return true;
}

}  // namespace kindred
