#pragma once

#include <algorithm>
#include <string_view>

namespace kindred {

/// Calls each(line) for the lines of a file of a Hunspell dictionary, without a byte order mark and
/// line ends.
template <typename Each>
void for_each_line(std::string_view text, Each&& each) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    each(line);
  }
}

/// Takes the next field off a line: what stands between blanks; "" at the end.
inline std::string_view take_field(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string_view field = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(field.size());
  return field;
}

}  // namespace kindred
