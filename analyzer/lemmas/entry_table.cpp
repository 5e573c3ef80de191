#include "analyzer/lemmas/entry_table.h"

#include <xxhash.h>

#include <utility>

namespace kindred {
namespace {

constexpr std::size_t kFirstSlots = 1024;
constexpr std::size_t kMostText = UINT32_MAX;
constexpr std::size_t kLongest = UINT16_MAX;

std::uint32_t hash_of(std::string_view word) {
  return static_cast<std::uint32_t>(XXH3_64bits(word.data(), word.size()));
}

}  // namespace

EntryTable::EntryTable() : slots_(kFirstSlots) {}

std::size_t EntryTable::slot_of(std::string_view word) const {
  const std::uint32_t hash = hash_of(word);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.entry == kNone) return at;
    if (slot.hash != hash) continue;
    const Entry& entry = entries_[slot.entry];
    if (std::string_view(text_).substr(entry.word, entry.word_size) == word) return at;
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
  Slot& slot = slots_[slot_of(word)];
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
    slot = {hash_of(word), place};
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

void EntryTable::shrink() {
  text_.shrink_to_fit();
  entries_.shrink_to_fit();
  known_flags_.clear();
}

}  // namespace kindred
