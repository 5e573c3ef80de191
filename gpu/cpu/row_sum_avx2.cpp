#include "gpu/cpu/row_sum.h"

// The sum of a row with AVX2. Contract: gpu/cpu/row_sum.h.
// Floor: a gather of the query's bits, about a load an entry.
// Shape: eight entries are tested at once, and those few that the query has are added one by one.

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of the register that its own intrinsics leave undefined on purpose.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#include "gpu/scoring.h"

namespace kindred::cpu {

__attribute__((target("avx2"))) std::int64_t row_sum_avx2(const QueryTables& query,
                                                          const RowEntries& row) {
  constexpr std::size_t kTestedAtOnce = 8;
  const auto* const terms = reinterpret_cast<const int*>(query.terms());
  std::int64_t sum = 0;
  const auto add = [&](std::size_t i) {
    sum += contribution(query.factor()[row.column[i]], query.tf()[row.count[i]]);
  };
  std::size_t i = 0;
  for (; i + kTestedAtOnce <= row.size; i += kTestedAtOnce) {
    const __m256i column = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row.column + i));
    const __m256i word = _mm256_i32gather_epi32(terms, _mm256_srli_epi32(column, 5), 4);
    // The bit of each column becomes the sign.
    const __m256i left = _mm256_andnot_si256(column, _mm256_set1_epi32(31));
    const __m256i bit = _mm256_sllv_epi32(word, left);
    auto hits = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(bit)));
    for (; hits != 0; hits &= hits - 1) add(i + static_cast<std::size_t>(__builtin_ctz(hits)));
  }
  for (; i < row.size; ++i)
    if (query.has(row.column[i])) add(i);
  return sum;
}

}  // namespace kindred::cpu
#endif
