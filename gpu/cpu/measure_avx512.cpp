#include "gpu/cpu/measure.h"

// The squares of a row with AVX-512. Contract: gpu/cpu/measure.h.
// Floor: 6 bytes an entry from memory, and a gather of idf, about a load an entry.
// Shape: weights wait in the first-level cache until the largest is known. Nearly all counts are
// below 16, whose tf two registers hold.

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of the register that its own intrinsics leave undefined on purpose.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#include <cmath>

#include "gpu/scoring.h"

#define KINDRED_MEASURE_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

namespace kindred::cpu {
namespace {

constexpr std::size_t kMeasuredAtOnce = 8;
constexpr std::size_t kAhead = 128;  // entries of the rows that follow, fetched from memory

/// The weights of entries i .. i + 7, as far as they are in `mask`; 0 for the others.
KINDRED_MEASURE_TARGET inline __m512d weights_of(const WeightTables& tables, const RowEntries& row,
                                                 std::size_t i, __mmask8 mask) {
  const __m256i column = _mm256_maskz_loadu_epi32(mask, row.column + i);
  const __m512i count = _mm512_cvtepu16_epi64(_mm_maskz_loadu_epi16(mask, row.count + i));
  __m512d tf = _mm512_permutex2var_pd(_mm512_loadu_pd(tables.first_tf), count,
                                      _mm512_loadu_pd(tables.first_tf + 8));
  const __mmask8 large = _mm512_cmpgt_epu64_mask(count, _mm512_set1_epi64(15));
  if (large != 0) tf = _mm512_mask_i64gather_pd(tf, large, count, tables.tf, 8);
  const __m512d idf = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), mask, column, tables.idf, 8);
  return _mm512_mul_pd(tf, idf);
}

}  // namespace

KINDRED_MEASURE_TARGET RowSquares measure_row_avx512(const WeightTables& tables,
                                                     const RowEntries& row) {
  alignas(64) double weight[RowSquares::kMostEntries + kMeasuredAtOnce];
  __m512d most = _mm512_setzero_pd();
  for (std::size_t i = 0; i < row.size; i += kMeasuredAtOnce) {
    __builtin_prefetch(row.column + i + kAhead);
    __builtin_prefetch(row.count + i + kAhead);
    const std::size_t left = row.size - i;
    const auto mask = static_cast<__mmask8>(left >= kMeasuredAtOnce ? 0xFF : (1u << left) - 1);
    const __m512d own = weights_of(tables, row, i, mask);
    _mm512_store_pd(weight + i, own);
    most = _mm512_max_pd(most, own);
  }
  const double largest = _mm512_reduce_max_pd(most);
  if (!(largest > 0)) return {};
  if (std::isinf(largest)) return {0, RowSquares::kUnknown};
  const std::int16_t exponent = RowSquares::exponent_of(largest);
  const __m512d scale = _mm512_set1_pd(length_scale(largest));
  __m512i sum = _mm512_setzero_si512();
  for (std::size_t i = 0; i < row.size; i += kMeasuredAtOnce) {
    const __m512d scaled = _mm512_mul_pd(_mm512_load_pd(weight + i), scale);
    const __m512d square = _mm512_mul_pd(_mm512_mul_pd(scaled, scaled), _mm512_set1_pd(0x1p52));
    sum = _mm512_add_epi64(sum, _mm512_cvtpd_epi64(square));
  }
  return {static_cast<std::uint64_t>(_mm512_reduce_add_epi64(sum)), exponent};
}

KINDRED_MEASURE_TARGET void lengths_avx512(const std::uint64_t* sum, const std::int16_t* exponent,
                                           std::size_t n, double* length) {
  for (std::size_t i = 0; i < n; i += kMeasuredAtOnce) {
    const std::size_t left = n - i;
    const auto mask = static_cast<__mmask8>(left >= kMeasuredAtOnce ? 0xFF : (1u << left) - 1);
    const __m512d squares = _mm512_cvtepu64_pd(_mm512_maskz_loadu_epi64(mask, sum + i));
    const __m512d root = _mm512_sqrt_pd(_mm512_mul_pd(squares, _mm512_set1_pd(0x1p-52)));
    const __m256i own = _mm256_cvtepi16_epi32(_mm_maskz_loadu_epi16(mask, exponent + i));
    _mm512_mask_storeu_pd(length + i, mask, _mm512_scalef_pd(root, _mm512_cvtepi32_pd(own)));
  }
}

}  // namespace kindred::cpu
#endif
