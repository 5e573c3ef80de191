#include "gpu/knn/allowed_rows.h"

#include <algorithm>
#include <cstddef>

namespace kindred {
namespace {

constexpr double kFewAllowed = 0.03;  // below this share, rows are scored one by one

/// The bits of `allowed` by place, for a mirror whose rows have moved.
std::vector<std::uint64_t> by_place(const RowSet& allowed, const RowPlaces& mirror) {
  constexpr std::uint32_t kBits = 64;
  std::vector<std::uint64_t> words((std::size_t{mirror.places()} + kBits - 1) / kBits);
  const std::size_t same = mirror.unmoved() / kBits;  // words
  std::copy_n(allowed.words().begin(), same, words.begin());
  for (std::size_t place = same * kBits; place < mirror.places(); ++place) {
    const bool is_in = allowed.has(mirror.number_at(static_cast<std::uint32_t>(place)));
    words[place / kBits] |= std::uint64_t{is_in} << place % kBits;
  }
  return words;
}

}  // namespace

AllowedRows allow_rows(const RowSet* allowed, const RowPlaces& mirror) {
  AllowedRows result;
  if (allowed == nullptr) return result;
  const std::uint32_t rows = mirror.rows();
  const std::size_t count = allowed->count(0, rows);
  result.few = static_cast<double>(count) < kFewAllowed * rows;
  if (result.few) {
    result.rows.reserve(count);
    allowed->for_each([&](std::uint32_t number) {
      if (number < rows) result.rows.push_back(mirror.place_of(number));
    });
  } else if (mirror.has_moved()) {
    result.moved = by_place(*allowed, mirror);
  } else {
    result.borrowed = allowed->words();
  }
  return result;
}

}  // namespace kindred
