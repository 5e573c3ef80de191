#include "gpu/knn/allowed_rows.h"

#include <bit>
#include <cstddef>

namespace kindred {
namespace {

constexpr double kFewAllowed = 0.03;  // below this share, rows are scored one by one

}  // namespace

AllowedRows allow_rows(const RowBits* allowed, std::uint32_t rows) {
  AllowedRows result;
  if (allowed == nullptr) return result;
  result.bits = allowed->data();
  const auto word = [&](std::size_t i) {  // without bits past the last row
    const std::size_t left = rows - i * 64;
    return left >= 64 ? result.bits[i] : result.bits[i] & ((std::uint64_t{1} << left) - 1);
  };
  const std::size_t words = (std::size_t{rows} + 63) / 64;
  std::size_t count = 0;
  for (std::size_t i = 0; i < words; ++i) count += static_cast<std::size_t>(std::popcount(word(i)));
  result.few = static_cast<double>(count) < kFewAllowed * rows;
  if (!result.few) return result;
  result.rows.reserve(count);
  for (std::size_t i = 0; i < words; ++i)
    for (std::uint64_t bits = word(i); bits != 0; bits &= bits - 1)
      result.rows.push_back(
          static_cast<std::uint32_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
  return result;
}

}  // namespace kindred
