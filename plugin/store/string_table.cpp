#include "plugin/store/string_table.h"

#include <bit>
#include <functional>

namespace kindred {

void StringTable::push_back(std::string_view text) {
  text_.append(text);
  end_.push_back(text_.size());
}

void StringTable::index() {
  slots_.assign(std::bit_ceil(2 * end_.size() + 1), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t i = 0; i < size(); ++i) {
    std::size_t slot = std::hash<std::string_view>{}((*this)[i]) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = i + 1;
  }
}

std::optional<std::uint32_t> StringTable::find(std::string_view text) const {
  if (slots_.empty()) return {};
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>{}(text)&mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    if ((*this)[slots_[slot] - 1] == text) return slots_[slot] - 1;
  }
  return {};
}

std::size_t StringTable::bytes() const {
  return text_.capacity() + end_.capacity() * sizeof(end_[0]) +
         slots_.capacity() * sizeof(slots_[0]);
}

}  // namespace kindred
