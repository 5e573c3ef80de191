#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/lemmas/affix_file.h"

namespace kindred {

/// The entries of a dictionary by their words, in little memory. Several may have the same word.
/// Texts are UTF-8. Immutable once it is filled; any number of threads may use it then.
class EntryTable {
 public:
  /// One entry; the first of its word, or the next of another with that word.
  struct Entry {
    std::uint32_t word, lemma;  ///< where their text begins
    std::uint16_t word_size, lemma_size;
    std::uint32_t flags;
    std::uint32_t next;  ///< of the same word: its place, or kNone
  };
  static constexpr std::uint32_t kNone = UINT32_MAX;

  EntryTable();

  /// Adds an entry, behind those of the same word. Words and lemmas of more than 64 KiB, and what
  /// comes after 4 GiB of text, are left out.
  void add(std::string_view word, AffixFlags flags, std::string_view lemma);

  /// The first entry of a word; null if there is none.
  const Entry* find(std::string_view word) const;

  const Entry* next(const Entry& entry) const {
    return entry.next == kNone ? nullptr : &entries_[entry.next];
  }

  std::string_view lemma_of(const Entry& entry) const {
    return std::string_view(text_).substr(entry.lemma, entry.lemma_size);
  }

  const AffixFlags& flags_of(const Entry& entry) const { return flags_[entry.flags]; }

  /// Gives an entry other flags.
  void set_flags(const Entry& entry, AffixFlags flags);

  /// Gives back memory that only more entries would need, and makes find() faster. No entry is
  /// added afterwards.
  void finish();

 private:
  struct Slot {
    std::uint32_t hash = 0, entry = kNone;
  };

  std::string_view word_of(const Entry& entry) const {
    return std::string_view(text_).substr(entry.word, entry.word_size);
  }
  std::size_t slot_of(std::string_view word, std::uint32_t hash) const;
  std::uint32_t number_of(AffixFlags flags);
  std::uint32_t keep(std::string_view text);
  void grow();

  std::string text_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // a power of two, half of them free at least
  // Bits of the hashes of all words, eight or more for each: most other words are told by them,
  // since they fit in a cache. None before finish().
  std::vector<std::uint64_t> marks_;
  std::size_t used_ = 0;
  std::vector<AffixFlags> flags_;
  std::map<AffixFlags, std::uint32_t> known_flags_;
};

}  // namespace kindred
