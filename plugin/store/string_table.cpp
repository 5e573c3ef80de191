#include "plugin/store/string_table.h"

#include <xxhash.h>
#include <algorithm>
#include <bit>
#include <utility>

#include "config/error.h"

namespace kindred {
namespace {

using Parts = StringTable::Parts;

/// The same on every machine, since tables are stored.
std::size_t hash_of(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

/// Fills the hash table. Of equal strings, the first one can be found.
void fill_slots(Parts& parts) {
  std::vector<std::uint32_t>& slots = parts.slots;
  slots.assign(std::bit_ceil(2 * parts.end.size() + 1), 0);
  const std::size_t mask = slots.size() - 1;

  // At most half of the slots are used, so that a search ends soon, and always at a free one.
  for (std::uint32_t i = 0; i < parts.end.size(); ++i) {
    std::size_t slot = hash_of(parts[i]) & mask;
    while (slots[slot] != 0 && parts[slots[slot] - 1] != parts[i]) slot = (slot + 1) & mask;
    if (slots[slot] == 0) slots[slot] = i + 1;
  }
}

std::optional<std::uint32_t> find_in(const Parts& parts, std::string_view text) {
  const std::vector<std::uint32_t>& slots = parts.slots;
  if (slots.empty()) return {};
  const std::size_t mask = slots.size() - 1;
  for (std::size_t slot = hash_of(text) & mask; slots[slot] != 0; slot = (slot + 1) & mask) {
    if (parts[slots[slot] - 1] == text) return slots[slot] - 1;
  }
  return {};
}

std::size_t used_slots(const Parts& parts) {
  return parts.slots.size() -
         static_cast<std::size_t>(std::count(parts.slots.begin(), parts.slots.end(), 0));
}

std::size_t count_empty(const Parts& parts) {
  std::size_t empty = 0;
  for (std::uint32_t i = 0; i < parts.end.size(); ++i) {
    if (parts[i].empty()) ++empty;
  }
  return empty;
}

std::size_t bytes_of_parts(const Parts& parts) {
  return parts.text.capacity() + bytes_of(parts.end) + bytes_of(parts.slots);
}

}  // namespace

void StringTable::push_back(std::string_view text) {
  own_.text.append(text);
  own_.end.push_back(own_.text.size());
}

void StringTable::index() {
  constexpr std::size_t kSharedShare = 8;
  constexpr std::size_t kFewOwn = 4096;
  const bool first = shared_->slots.empty();

  // Once the own strings are many, copies would share too little, and all are put together.
  if (!first && own_.end.size() > std::max<std::size_t>(kFewOwn, shared_size_ / kSharedShare)) {
    *this = joined();
    return;
  }

  fill_slots(own_);
  if (first) share(std::exchange(own_, {}));
}

std::optional<std::uint32_t> StringTable::find(std::string_view text) const {
  if (const auto shared = find_in(*shared_, text)) return shared;
  const auto own = find_in(own_, text);
  if (!own) return std::nullopt;
  return *own + shared_size_;
}

StringTable StringTable::joined() const {
  if (own_.end.empty()) return *this;
  StringTable result;
  for (std::uint32_t i = 0; i < size(); ++i) {
    result.push_back((*this)[i]);
  }
  result.index();
  return result;
}

StringTable StringTable::from_parts(Parts parts) {
  const std::size_t size = parts.end.size();
  const std::size_t slots = parts.slots.size();
  const std::size_t used = used_slots(parts);
  const std::uint64_t end = size == 0 ? 0 : parts.end.back();

  // A table that was stored may be damaged. What find() and [] read must be inside of it, and a
  // search must meet a free slot.
  const bool fits = std::is_sorted(parts.end.begin(), parts.end.end()) &&
                    end == parts.text.size() && std::has_single_bit(slots) && used <= size &&
                    slots > size && std::ranges::all_of(parts.slots, [&](std::uint32_t slot) {
                      return slot <= size;
                    });
  if (!fits) throw Error(Errc::kCorrupt, "the parts of a table of strings do not fit together");

  StringTable table;
  table.share(std::move(parts));
  return table;
}

void StringTable::share(Parts parts) {
  parts.text.shrink_to_fit();
  parts.end.shrink_to_fit();
  shared_size_ = static_cast<std::uint32_t>(parts.end.size());

  // Equal strings take one slot together, so the slots tell whether there are any. "" may occur
  // often, and does not count.
  const std::size_t empty = count_empty(parts);
  std::size_t different = shared_size_ - empty;
  if (empty > 0) ++different;
  distinct_ = used_slots(parts) == different;

  shared_ = std::make_shared<const Parts>(std::move(parts));
}

std::size_t StringTable::bytes() const { return bytes_of_parts(*shared_) + bytes_of_parts(own_); }

}  // namespace kindred
