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
  std::uint32_t size() const { return static_cast<std::uint32_t>(parts_.end.size()); }
  std::string_view operator[](std::uint32_t i) const {
    const std::size_t begin = i == 0 ? 0 : parts_.end[i - 1];
    return {parts_.text.data() + begin, parts_.end[i] - begin};
  }
  void push_back(std::string_view text);

  /// Makes find() possible. Call once, after the last push_back().
  void index();

  /// The number of a string; nothing if it is not in the table. The strings must be distinct.
  std::optional<std::uint32_t> find(std::string_view text) const;

  std::size_t bytes() const;

  /// What a table consists of, to be stored and taken back.
  struct Parts {
    std::string text;                  ///< of all strings, one after the other
    std::vector<std::uint64_t> end;    ///< of each string in the text
    std::vector<std::uint32_t> slots;  ///< of the hash table, if there is one
  };
  const Parts& parts() const { return parts_; }
  /// @throws Error kCorrupt if the parts do not fit together.
  static StringTable from_parts(Parts parts);

 private:
  Parts parts_;  // slots: open addressing by XXH3, number + 1; 0 = free
};

}  // namespace kindred
