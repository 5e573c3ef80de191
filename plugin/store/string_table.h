#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kindred {

/// Strings with the numbers 0, 1, 2, ... in one block of memory. After index(), they can be looked
/// up by hash.
class StringTable {
 public:
  std::uint32_t size() const { return static_cast<std::uint32_t>(end_.size()); }
  std::string_view operator[](std::uint32_t i) const {
    const std::size_t begin = i == 0 ? 0 : end_[i - 1];
    return {text_.data() + begin, end_[i] - begin};
  }
  void push_back(std::string_view text);

  /// Makes find() possible. Call once, after the last push_back().
  void index();

  /// The number of a string; nothing if it is not in the table. The strings must be distinct.
  std::optional<std::uint32_t> find(std::string_view text) const;

  std::size_t bytes() const;

 private:
  std::string text_;
  std::vector<std::size_t> end_;
  std::vector<std::uint32_t> slots_;  // open addressing, number + 1; 0 = free
};

}  // namespace kindred
