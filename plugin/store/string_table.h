#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kindred {

/// The bytes that a vector holds, with those that it may still fill.
template <typename T>
std::size_t bytes_of(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

/// Strings with the numbers 0, 1, 2, ... in one block of memory. After index(), they can be looked
/// up by hash. Copies share the strings that the first index() saw, so that a table that grows a
/// little costs little.
class StringTable {
 public:
  std::uint32_t size() const { return shared_size_ + static_cast<std::uint32_t>(own_.end.size()); }
  std::string_view operator[](std::uint32_t i) const {
    return i < shared_size_ ? (*shared_)[i] : own_[i - shared_size_];
  }
  void push_back(std::string_view text);

  /// Makes find() possible, for all strings so far. Strings that come later need another call; its
  /// cost follows the number of those that came after the first one, until these are many: then all
  /// are put together anew.
  void index();

  /// The number of a string; nothing if it is not in the table. Of equal strings the first.
  std::optional<std::uint32_t> find(std::string_view text) const;
  /// True if no two of the strings that the first index() saw are equal, "" apart.
  bool is_distinct() const { return distinct_; }
  /// The same strings, as if the first index() had seen them all.
  StringTable joined() const;

  std::size_t bytes() const;

  /// What a table consists of, to be stored and taken back.
  struct Parts {
    std::string text;                  ///< of all strings, one after the other
    std::vector<std::uint64_t> end;    ///< of each string in the text
    std::vector<std::uint32_t> slots;  ///< of the hash table: open addressing by XXH3, number + 1;
                                       ///< 0 = free

    std::string_view operator[](std::uint32_t i) const {
      const std::size_t begin = i == 0 ? 0 : end[i - 1];
      return {text.data() + begin, end[i] - begin};
    }
  };
  /// Of the strings that the first index() saw.
  const Parts& parts() const { return *shared_; }
  /// @throws Error kCorrupt if the parts do not fit together.
  static StringTable from_parts(Parts parts);

 private:
  void share(Parts parts);

  std::shared_ptr<const Parts> shared_ = std::make_shared<const Parts>();
  std::uint32_t shared_size_ = 0;
  bool distinct_ = true;
  Parts own_;
};

/// The number of the first string that does not come before `text`. `ascending` is in byte order.
inline std::uint32_t first_from(const StringTable& ascending, std::string_view text) {
  std::uint32_t low = 0;
  std::uint32_t high = ascending.size();

  // Strings before `low` come before the text, and those from `high` on do not.
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
    // In byte order, the next string of `ascending` is often the one: only others are searched for.
    if (next >= ascending.size() || ascending[next] != text) next = first_from(ascending, text);

    std::optional<std::uint32_t> number;
    if (next < ascending.size() && ascending[next] == text) {
      number = next;
      ++next;
    }
    visit(number);
  }
}

}  // namespace kindred
