#include "gpu/knn/allowed_rows.h"

#include <cstddef>

namespace kindred {
namespace {

constexpr double kFewAllowed = 0.03;  // below this share, rows are scored one by one

}  // namespace

AllowedRows allow_rows(const RowSet* allowed, std::uint32_t rows) {
  AllowedRows result;
  if (allowed == nullptr) return result;
  result.bits = allowed->words().data();
  const std::size_t count = allowed->count(0, rows);
  result.few = static_cast<double>(count) < kFewAllowed * rows;
  if (!result.few) return result;
  result.rows.reserve(count);
  allowed->for_each([&](std::uint32_t row) {
    if (row < rows) result.rows.push_back(row);
  });
  return result;
}

}  // namespace kindred
