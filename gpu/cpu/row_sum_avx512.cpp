#include "gpu/cpu/row_sum.h"

// The sum of a row with AVX-512. Contract: gpu/cpu/row_sum.h.
// Floor: a gather of the query's bits, about half a cycle an entry; 4 bytes an entry from memory,
// and the lines of counts that are read.
// Shape: sixteen entries are tested at once. Those few that the query has are packed into the
// first-level cache, and added eight at a time, without a branch for each.

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of the register that its own intrinsics leave undefined on purpose.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#define KINDRED_ROW_SUM_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

namespace kindred::cpu {
namespace {

constexpr std::size_t kTested = 16, kAdded = 8;  // entries at once

/// Entries whose terms the query has, until they are added up.
struct PackedHits {
  static constexpr std::size_t kCapacity = 256;
  std::size_t size = 0;
  std::uint32_t column[kCapacity + kTested];  ///< room for one vector's overrun
  std::uint32_t count[kCapacity + kTested];
};

KINDRED_ROW_SUM_TARGET inline __m512i add_hits(const QueryTables& query, const PackedHits& hits,
                                               __m512i sum) {
  for (std::size_t i = 0; i < hits.size; i += kAdded) {
    const std::size_t left = hits.size - i;
    const auto mask = static_cast<__mmask8>(left >= kAdded ? 0xFF : (1u << left) - 1);
    const __m256i column = _mm256_maskz_loadu_epi32(mask, hits.column + i);
    const __m256i count = _mm256_maskz_loadu_epi32(mask, hits.count + i);
    const __m512d zero = _mm512_setzero_pd();
    const __m512d factor =
        _mm512_mask_i64gather_pd(zero, mask, _mm512_cvtepu32_epi64(column), query.factor(), 8);
    const __m512d tf = _mm512_mask_i32gather_pd(zero, mask, count, query.tf(), 8);
    sum = _mm512_add_epi64(sum, _mm512_cvtpd_epi64(_mm512_mul_pd(factor, tf)));
  }
  return sum;
}

}  // namespace

KINDRED_ROW_SUM_TARGET std::int64_t row_sum_avx512(const QueryTables& query,
                                                   const RowEntries& row) {
  PackedHits hits;
  __m512i sum = _mm512_setzero_si512();
  for (std::size_t i = 0; i < row.size; i += kTested) {
    const std::size_t left = row.size - i;
    const auto mask = static_cast<__mmask16>(left >= kTested ? 0xFFFF : (1u << left) - 1);
    const __m512i column = _mm512_maskz_loadu_epi32(mask, row.column + i);
    const __m512i word = _mm512_mask_i32gather_epi32(
        _mm512_setzero_si512(), mask, _mm512_srli_epi32(column, 5), query.terms(), 4);
    const __m512i bit =
        _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(column, _mm512_set1_epi32(31)));
    const __mmask16 found = _mm512_test_epi32_mask(word, bit);
    if (found == 0) continue;
    const __m512i count = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, row.count + i));
    _mm512_storeu_si512(hits.column + hits.size, _mm512_maskz_compress_epi32(found, column));
    _mm512_storeu_si512(hits.count + hits.size, _mm512_maskz_compress_epi32(found, count));
    hits.size += static_cast<std::size_t>(__builtin_popcount(found));
    if (hits.size < PackedHits::kCapacity) continue;
    sum = add_hits(query, hits, sum);
    hits.size = 0;
  }
  return _mm512_reduce_add_epi64(add_hits(query, hits, sum));
}

}  // namespace kindred::cpu
#endif
