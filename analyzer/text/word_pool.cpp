#include "analyzer/text/word_pool.h"

#include <algorithm>
#include <cstring>

namespace kindred {
namespace {

constexpr std::size_t kFirstSlots = 1024;
constexpr std::size_t kChunk = std::size_t{1} << 16;

std::uint64_t load(const char* from, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, size);
  return value;
}

// Multiplies and folds 128 bits, as wyhash (Wang Yi 2019) does.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint32_t hash_of(std::string_view text) {
  constexpr std::uint64_t kA = 0xa0761d6478bd642fu;
  constexpr std::uint64_t kB = 0xe7037ed1a0b428dbu;
  std::uint64_t hash = text.size() * kB;
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left > 8; left -= 8, at += 8) hash = mix(hash ^ load(at, 8), kA);
  std::uint64_t tail = 0;
  if (left >= 4) {
    tail = load(at, 4) | load(at + left - 4, 4) << 32;
  } else if (left > 0) {
    tail = static_cast<unsigned char>(at[0]) | load(at + left / 2, 1) << 8 |
           load(at + left - 1, 1) << 16;
  }
  hash = mix(hash ^ tail, kB);
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

}  // namespace

WordPool::WordPool() { clear(); }

void WordPool::clear() {
  slots_.assign(kFirstSlots, {0, kEmpty});
  slots_.shrink_to_fit();
  entries_.assign(1, {"", 0, 0, kEmpty, kEmpty, 0});
  entries_.shrink_to_fit();
  chunks_.clear();
  free_ = nullptr;
  free_size_ = stored_ = 0;
}

std::size_t WordPool::bytes() const {
  return slots_.capacity() * sizeof(Slot) + entries_.capacity() * sizeof(Entry) + stored_;
}

WordPool::Id WordPool::intern(std::string_view text) {
  if (text.empty()) return kEmpty;
  const std::uint32_t hash = hash_of(text);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].id != kEmpty; at = (at + 1) & mask) {
    if (slots_[at].hash != hash) continue;
    const Entry& entry = entries_[slots_[at].id];
    if (entry.size == text.size() && std::memcmp(entry.data, text.data(), text.size()) == 0)
      return slots_[at].id;
  }
  const Id id = static_cast<Id>(entries_.size());
  entries_.push_back({store(text), static_cast<std::uint32_t>(text.size()), hash});
  slots_[at] = {hash, id};
  if (entries_.size() * 2 > slots_.size()) grow();
  return id;
}

const char* WordPool::store(std::string_view text) {
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
  for (const Slot& slot : slots_) {
    if (slot.id == kEmpty) continue;
    std::size_t at = slot.hash & mask;
    while (larger[at].id != kEmpty) at = (at + 1) & mask;
    larger[at] = slot;
  }
  slots_ = std::move(larger);
}

}  // namespace kindred
