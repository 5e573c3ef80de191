#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "plugin/store/string_table.h"

namespace kindred {

/// The number of the first string that does not come before `text`. `ascending` is in byte order.
inline std::uint32_t first_from(const StringTable& ascending, std::string_view text) {
  std::uint32_t low = 0, high = ascending.size();
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (ascending[middle] < text) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Calls visit(number) for each string of `table` from number `from` on: with its number in
/// `ascending`, which is in byte order and has each string once, or with nothing. Quick for strings
/// in byte order.
template <typename Visit>
void look_up_all(const StringTable& ascending, const StringTable& table, std::uint32_t from,
                 Visit&& visit) {
  std::uint32_t next = 0;
  for (std::uint32_t i = from; i < table.size(); ++i) {
    const std::string_view text = table[i];
    if (next >= ascending.size() || ascending[next] != text) next = first_from(ascending, text);
    const bool is_known = next < ascending.size() && ascending[next] == text;
    visit(is_known ? std::optional(next++) : std::nullopt);
  }
}

}  // namespace kindred
