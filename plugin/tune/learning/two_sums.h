#pragma once

#include <algorithm>
#include <cstdint>

namespace kindred {

/// Entries [begin, end) of a matrix.
struct EntryRange {
  std::uint64_t begin = 0, end = 0;
};

struct TwoSums {
  double first = 0, second = 0;
};

/// The sums of value(entry) over two ranges, each added in the order of its entries. They are added
/// side by side, because an addition takes as long as several multiplications and look-ups, which
/// need not wait for it.
template <typename Value>
TwoSums two_sums(EntryRange first, EntryRange second, Value&& value) {
  TwoSums sums;
  const std::uint64_t both = std::min(first.end - first.begin, second.end - second.begin);
  for (std::uint64_t i = 0; i < both; ++i) {
    sums.first += value(first.begin + i);
    sums.second += value(second.begin + i);
  }
  for (std::uint64_t i = first.begin + both; i < first.end; ++i) sums.first += value(i);
  for (std::uint64_t i = second.begin + both; i < second.end; ++i) sums.second += value(i);
  return sums;
}

}  // namespace kindred
