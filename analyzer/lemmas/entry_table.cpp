#include "analyzer/lemmas/entry_table.h"

#include <xxhash.h>

#include <utility>

namespace kindred {
namespace {

constexpr std::size_t kFirstSlots = 1024;
constexpr std::size_t kMostText = UINT32_MAX;
constexpr std::size_t kLongest = UINT16_MAX;

constexpr std::size_t kMarksOfSlot = 4;  // bits

std::uint64_t hash_of(std::string_view word) { return XXH3_64bits(word.data(), word.size()); }

/// What a slot keeps of it.
std::uint32_t low(std::uint64_t hash) { return static_cast<std::uint32_t>(hash); }

/// The place and the bit of a hash among marks; their number is a power of two.
std::size_t place_of_mark(std::uint64_t hash, std::size_t marks) {
  return (hash >> 38) & (marks - 1);
}
std::uint64_t bit_of_mark(std::uint64_t hash) { return std::uint64_t{1} << ((hash >> 32) & 63); }

}  // namespace

EntryTable::EntryTable() : slots_(kFirstSlots) {}

const EntryTable::Entry* EntryTable::find(std::string_view word) const {
  const std::uint64_t hash = hash_of(word);
  if (!marks_.empty() && (marks_[place_of_mark(hash, marks_.size())] & bit_of_mark(hash)) == 0)
    return nullptr;
  const std::uint32_t place = slots_[slot_of(word, low(hash))].entry;
  return place == kNone ? nullptr : &entries_[place];
}

std::size_t EntryTable::slot_of(std::string_view word, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.entry == kNone) return at;
    if (slot.hash == hash && word_of(entries_[slot.entry]) == word) return at;
  }
}

void EntryTable::grow() {
  std::vector<Slot> slots(2 * slots_.size());
  for (const Slot& slot : slots_) {
    if (slot.entry == kNone) continue;
    std::size_t at = slot.hash & (slots.size() - 1);
    while (slots[at].entry != kNone) at = (at + 1) & (slots.size() - 1);
    slots[at] = slot;
  }
  slots_ = std::move(slots);
}

std::uint32_t EntryTable::number_of(AffixFlags flags) {
  const auto next = static_cast<std::uint32_t>(flags_.size());
  const auto [known, is_new] = known_flags_.try_emplace(std::move(flags), next);
  if (is_new) flags_.push_back(known->first);
  return known->second;
}

std::uint32_t EntryTable::keep(std::string_view text) {
  const std::size_t begin = text_.size();
  text_ += text;
  return static_cast<std::uint32_t>(begin);
}

void EntryTable::add(std::string_view word, AffixFlags flags, std::string_view lemma) {
  if (word.size() > kLongest || lemma.size() > kLongest ||
      text_.size() + word.size() + lemma.size() > kMostText)
    return;
  if (2 * (used_ + 1) > slots_.size()) grow();
  const std::uint32_t hash = low(hash_of(word));
  Slot& slot = slots_[slot_of(word, hash)];
  const auto place = static_cast<std::uint32_t>(entries_.size());
  Entry entry{};
  entry.next = kNone;
  entry.flags = number_of(std::move(flags));
  entry.word_size = static_cast<std::uint16_t>(word.size());
  entry.lemma_size = static_cast<std::uint16_t>(lemma.size());
  entry.word = slot.entry == kNone ? keep(word) : entries_[slot.entry].word;
  entry.lemma = lemma == word ? entry.word : keep(lemma);
  entries_.push_back(entry);
  if (slot.entry == kNone) {
    slot = {hash, place};
    ++used_;
    return;
  }
  std::uint32_t last = slot.entry;
  while (entries_[last].next != kNone) last = entries_[last].next;
  entries_[last].next = place;
}

void EntryTable::set_flags(const Entry& entry, AffixFlags flags) {
  entries_[static_cast<std::size_t>(&entry - entries_.data())].flags = number_of(std::move(flags));
}

void EntryTable::finish() {
  text_.shrink_to_fit();
  entries_.shrink_to_fit();
  known_flags_.clear();
  marks_.assign(slots_.size() * kMarksOfSlot / 64, 0);
  for (const Entry& entry : entries_) {
    const std::uint64_t hash = hash_of(word_of(entry));
    marks_[place_of_mark(hash, marks_.size())] |= bit_of_mark(hash);
  }
}

}  // namespace kindred
