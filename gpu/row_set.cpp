#include "gpu/row_set.h"

#include <algorithm>

namespace kindred {

RowSet RowSet::all(std::size_t rows) {
  RowSet set(rows);
  std::ranges::fill(set.words_, ~std::uint64_t{0});

  // Bits past the last row stay 0, which count() and operator== rest on.
  if (rows % kBits != 0) set.words_.back() &= (std::uint64_t{1} << rows % kBits) - 1;
  return set;
}

void RowSet::grow(std::size_t rows) {
  rows_ = rows;
  words_.resize(words_for(rows));
}

void RowSet::append(const RowSet& other, std::size_t begin, std::size_t end) {
  std::size_t at = rows_;
  grow(rows_ + (end - begin));

  // Takes 64 rows at a time. They may straddle two words of this set as well as two of the other.
  for (std::size_t row = begin; row < end; row += kBits) {
    std::uint64_t bits = other.bits_from(row);
    if (end - row < kBits) bits &= (std::uint64_t{1} << (end - row)) - 1;
    words_[at / kBits] |= bits << at % kBits;
    if (at % kBits != 0 && at / kBits + 1 < words_.size())
      words_[at / kBits + 1] |= bits >> (kBits - at % kBits);
    at += kBits;
  }
}

/// Bit i: whether row + i is in the set.
std::uint64_t RowSet::bits_from(std::size_t row) const {
  const std::size_t word = row / kBits;
  const std::size_t shift = row % kBits;
  if (word >= words_.size()) return 0;

  // The lower bits of the result are the upper ones of this word, the rest comes from the next.
  std::uint64_t bits = words_[word] >> shift;
  if (shift != 0 && word + 1 < words_.size()) bits |= words_[word + 1] << (kBits - shift);
  return bits;
}

RowSet& RowSet::operator&=(const RowSet& other) {
  const std::size_t both = std::min(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < both; ++i) words_[i] &= other.words_[i];

  // Rows that the other set does not cover are not in it.
  std::fill(words_.begin() + static_cast<std::ptrdiff_t>(both), words_.end(), 0);
  return *this;
}

RowSet& RowSet::operator-=(const RowSet& other) {
  const std::size_t both = std::min(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < both; ++i) words_[i] &= ~other.words_[i];
  return *this;
}

std::size_t RowSet::count() const {
  std::size_t count = 0;
  for (const std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

std::vector<std::uint32_t> RowSet::to_vector() const {
  std::vector<std::uint32_t> rows;
  rows.reserve(count());
  for_each([&](std::uint32_t row) {
    rows.push_back(row);
  });
  return rows;
}

}  // namespace kindred
