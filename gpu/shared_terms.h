#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kindred {

/// Calls visit(i, j) for each term that two rows share, ascending: one[i] is other[j].
/// Terms ascend strictly in both.
template <typename Visit>
void for_each_shared_term(std::span<const std::uint32_t> one, std::span<const std::uint32_t> other,
                          Visit&& visit) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < one.size() && j < other.size()) {
    const std::uint32_t own = one[i];
    const std::uint32_t its = other[j];
    if (own == its) visit(i, j);
    if (own <= its) ++i;
    if (its <= own) ++j;
  }
}

}  // namespace kindred
