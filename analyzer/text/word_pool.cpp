#include "analyzer/text/word_pool.h"

#define XXH_INLINE_ALL  // of words: a call takes longer than their hash
#include <xxhash.h>
#include <algorithm>
#include <cstring>

namespace kindred {
namespace {

constexpr std::size_t kFirstSlots = 1024;
constexpr std::size_t kChunk = std::size_t{1} << 16;

std::uint32_t hash_of(std::string_view text) {
  return static_cast<std::uint32_t>(XXH3_64bits(text.data(), text.size()));
}

}  // namespace

WordPool::WordPool() { clear(); }

void WordPool::clear() {
  // A pool with nothing but the empty word, as small as a new one.
  slots_.assign(kFirstSlots, {0, kEmpty});
  slots_.shrink_to_fit();
  entries_.assign(1, {"", 0, 0, kEmpty, kEmpty, 0});
  entries_.shrink_to_fit();
  chunks_.clear();
  free_ = nullptr;
  free_size_ = 0;
  stored_ = 0;
}

std::size_t WordPool::bytes() const {
  return slots_.capacity() * sizeof(Slot) + entries_.capacity() * sizeof(Entry) + stored_;
}

WordPool::Id WordPool::intern(std::string_view text) {
  if (text.empty()) return kEmpty;

  // Linear probing. The hash that a slot keeps spares nearly every comparison with another word.
  const std::uint32_t hash = hash_of(text);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].id != kEmpty; at = (at + 1) & mask) {
    if (slots_[at].hash != hash) continue;
    const Entry& entry = entries_[slots_[at].id];
    if (entry.size == text.size() && std::memcmp(entry.data, text.data(), text.size()) == 0)
      return slots_[at].id;
  }

  // At most half of the slots are taken, so that a free one is always near.
  const Id id = static_cast<Id>(entries_.size());
  entries_.push_back({store(text), static_cast<std::uint32_t>(text.size()), hash});
  slots_[at] = {hash, id};
  if (entries_.size() * 2 > slots_.size()) grow();
  return id;
}

const char* WordPool::store(std::string_view text) {
  // Words lie in chunks that never move, so a view of a word stays valid while the pool grows.
  if (text.size() > free_size_) {
    const std::size_t size = std::max(kChunk, text.size());
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    free_ = chunks_.back().get();
    free_size_ = size;
    stored_ += size;
  }

  char* const copy = free_;
  std::memcpy(copy, text.data(), text.size());
  free_ += text.size();
  free_size_ -= text.size();
  return copy;
}

void WordPool::grow() {
  std::vector<Slot> larger(slots_.size() * 2, {0, kEmpty});
  const std::size_t mask = larger.size() - 1;

  // The hashes are kept with the slots, so no word is read again.
  for (const Slot& slot : slots_) {
    if (slot.id == kEmpty) continue;
    std::size_t at = slot.hash & mask;
    while (larger[at].id != kEmpty) at = (at + 1) & mask;
    larger[at] = slot;
  }
  slots_ = std::move(larger);
}

}  // namespace kindred
