#include "plugin/store/string_table.h"

#include <xxhash.h>
#include <algorithm>
#include <bit>
#include <utility>

#include "config/error.h"

namespace kindred {
namespace {

/// The same on every machine, since tables are stored.
std::size_t hash_of(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

}  // namespace

void StringTable::push_back(std::string_view text) {
  parts_.text.append(text);
  parts_.end.push_back(parts_.text.size());
}

void StringTable::index() {
  std::vector<std::uint32_t>& slots = parts_.slots;
  slots.assign(std::bit_ceil(2 * parts_.end.size() + 1), 0);
  const std::size_t mask = slots.size() - 1;
  for (std::uint32_t i = 0; i < size(); ++i) {
    std::size_t slot = hash_of((*this)[i]) & mask;
    while (slots[slot] != 0) slot = (slot + 1) & mask;
    slots[slot] = i + 1;
  }
}

std::optional<std::uint32_t> StringTable::find(std::string_view text) const {
  const std::vector<std::uint32_t>& slots = parts_.slots;
  if (slots.empty()) return {};
  const std::size_t mask = slots.size() - 1;
  std::size_t slot = hash_of(text) & mask;
  for (; slots[slot] != 0; slot = (slot + 1) & mask) {
    if ((*this)[slots[slot] - 1] == text) return slots[slot] - 1;
  }
  return {};
}

StringTable StringTable::from_parts(Parts parts) {
  const std::size_t size = parts.end.size(), slots = parts.slots.size();
  const auto used = static_cast<std::size_t>(std::count_if(parts.slots.begin(), parts.slots.end(),
                                                           [](std::uint32_t s) { return s != 0; }));
  const bool fits = std::is_sorted(parts.end.begin(), parts.end.end()) &&
                    (size == 0 ? 0 : parts.end.back()) == parts.text.size() &&
                    (slots == 0 || (std::has_single_bit(slots) && used == size && slots > size)) &&
                    std::all_of(parts.slots.begin(), parts.slots.end(),
                                [&](std::uint32_t slot) { return slot <= size; });
  if (!fits) throw Error(Errc::kCorrupt, "the parts of a table of strings do not fit together");
  StringTable table;
  table.parts_ = std::move(parts);
  return table;
}

std::size_t StringTable::bytes() const {
  return parts_.text.capacity() + parts_.end.capacity() * sizeof(parts_.end[0]) +
         parts_.slots.capacity() * sizeof(parts_.slots[0]);
}

}  // namespace kindred
