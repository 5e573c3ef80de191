#pragma once

#include <cstdint>

namespace kindred::bench {

struct Hit {
  std::uint32_t row;
  float similarity;
};
inline constexpr std::uint32_t kNoRow = UINT32_MAX;
inline constexpr std::uint32_t kLargestK = 256;

/// The k documents most similar to each of `queries` queries, to hits [queries, k] on the device:
/// similarity descending, then row ascending. `similarities` are those to all of `rows` documents,
/// [queries, rows] on the device. Documents of similarity 0 or less are left out: a short list ends
/// in {kNoRow, 0}. k is at most kLargestK. Asynchronous, on the default stream.
void select_top_k(const float* similarities, std::uint32_t rows, std::uint32_t queries,
                  std::uint32_t k, Hit* hits);

}  // namespace kindred::bench
