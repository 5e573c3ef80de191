#pragma once

#include <cstdint>

namespace kindred::bench {

struct Hit {
  std::uint32_t row;
  float similarity;
};
inline constexpr std::uint32_t kNoRow = UINT32_MAX;
inline constexpr std::uint32_t kLargestK = 256;

/// Similarities on the device: of query q to all of `rows` documents at value + q * rows; or, if
/// row_begin is given, those of the documents row[i], i in [row_begin[q], row_begin[q + 1]), at
/// value[i], and 0 to all others.
struct Similarities {
  std::uint32_t rows = 0;
  const float* value = nullptr;
  const std::uint32_t* row_begin = nullptr;
  const std::uint32_t* row = nullptr;
};

/// The k documents most similar to each of `queries` queries, to hits [queries, k] on the device:
/// similarity descending, then row ascending. Documents of similarity 0 or less are left out: a
/// short list ends in {kNoRow, 0}. k is at most kLargestK. Asynchronous, on the default stream.
void select_top_k(const Similarities& similarities, std::uint32_t queries, std::uint32_t k,
                  Hit* hits);

}  // namespace kindred::bench
