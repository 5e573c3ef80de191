#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace kindred {

/// Every distinct string that the analyzer has met, once: surfaces, words and terms. The entry of a
/// surface holds the word and the term that analysis made of it, so that folding and stemming run
/// once per distinct surface. The entry of a term holds its count.
/// An open-addressing hash table over strings in an arena. Entries keep their ids until clear().
class WordPool {
 public:
  using Id = std::uint32_t;
  static constexpr Id kEmpty = 0;         ///< the id of ""
  static constexpr Id kUnknown = ~Id{0};  ///< a surface not analyzed yet

  struct Entry {
    const char* data;
    std::uint32_t size;
    std::uint32_t hash;
    Id word = kUnknown;
    Id term = kUnknown;
    std::uint32_t count = 0;
    std::uint32_t parts = 0;  ///< the analyzer's list of the terms of a compound's parts; 0: none

    std::string_view text() const { return {data, size}; }
  };

  WordPool();

  /// The id of `text`, which is copied if it is new. `text` may lie in the pool itself, and is
  /// shorter than 4 GiB.
  Id intern(std::string_view text);

  Entry& operator[](Id id) { return entries_[id]; }
  const Entry& operator[](Id id) const { return entries_[id]; }

  /// Forgets everything and frees the memory.
  void clear();

  /// All bytes in use.
  std::size_t bytes() const;

 private:
  struct Slot {
    std::uint32_t hash;
    Id id;  // kEmpty: free
  };

  const char* store(std::string_view text);
  void grow();

  std::vector<Slot> slots_;  // a power of two, at most half full
  std::vector<Entry> entries_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* free_ = nullptr;
  std::size_t free_size_ = 0;
  std::size_t stored_ = 0;
};

}  // namespace kindred
