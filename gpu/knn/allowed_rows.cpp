#include "gpu/knn/allowed_rows.h"

#include <cstddef>

namespace kindred {

constexpr double kFewAllowed = 0.03;  // below this share, rows are scored one by one

AllowedRows allow_rows(const RowSet* allowed, const SegmentList& mirror) {
  AllowedRows result;
  if (allowed == nullptr) return result;
  const std::uint32_t rows = mirror.rows();
  const std::size_t count = allowed->count(0, rows);
  result.few = static_cast<double>(count) < kFewAllowed * rows;
  if (result.few) {
    result.rows.reserve(count);
    allowed->for_each([&](std::uint32_t number) {
      const std::uint32_t place = number < rows ? mirror.place_of(number) : kNoRow;
      if (place != kNoRow) result.rows.push_back(place);
    });
  } else if (mirror.has_moved()) {
    result.moved = mirror.bits_by_place(*allowed);
  } else {
    result.borrowed = allowed->words();
  }
  return result;
}

}  // namespace kindred
