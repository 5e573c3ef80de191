#include "gpu/cpu/measure.h"

// The squares of a row with AVX2. Contract: gpu/cpu/measure.h; shape as measure_avx512.cpp.

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of the register that its own intrinsics leave undefined on purpose.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#include <algorithm>
#include <cmath>

#include "gpu/scoring.h"

namespace kindred::cpu {
namespace {

constexpr std::size_t kLanesOfAvx2 = 4;
constexpr std::size_t kFetchedAhead = 128;  // entries of the rows that follow

/// The integer nearest to each value of [0, 2^52], halves to even: in this range, doubles from 2^52
/// on are integers.
__attribute__((target("avx2"))) inline __m256i rounded(__m256d value) {
  const __m256d magic = _mm256_set1_pd(0x1p52);
  return _mm256_sub_epi64(_mm256_castpd_si256(_mm256_add_pd(value, magic)),
                          _mm256_castpd_si256(magic));
}

}  // namespace

__attribute__((target("avx2"))) RowSquares measure_row_avx2(const WeightTables& tables,
                                                            const RowEntries& row) {
  alignas(32) double weight[RowSquares::kMostEntries + kLanesOfAvx2];
  const std::size_t whole = row.size / kLanesOfAvx2 * kLanesOfAvx2;
  __m256d most = _mm256_setzero_pd();
  for (std::size_t i = 0; i < whole; i += kLanesOfAvx2) {
    __builtin_prefetch(row.column + i + kFetchedAhead);
    __builtin_prefetch(row.count + i + kFetchedAhead);
    const __m128i count =
        _mm_cvtepu16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(row.count + i)));
    const __m128i column = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row.column + i));
    const __m256d own = _mm256_mul_pd(_mm256_i32gather_pd(tables.tf, count, 8),
                                      _mm256_i32gather_pd(tables.idf, column, 8));
    _mm256_store_pd(weight + i, own);
    most = _mm256_max_pd(most, own);
  }
  alignas(32) double lane[kLanesOfAvx2];
  _mm256_store_pd(lane, most);
  double largest = *std::max_element(lane, lane + kLanesOfAvx2);
  std::fill_n(weight + whole, kLanesOfAvx2, 0.0);
  for (std::size_t i = whole; i < row.size; ++i) {
    weight[i] = tables.tf[row.count[i]] * tables.idf[row.column[i]];
    largest = std::max(largest, weight[i]);
  }
  if (!(largest > 0)) return {};
  if (std::isinf(largest)) return {0, RowSquares::kUnknown};
  const __m256d scale = _mm256_set1_pd(length_scale(largest));
  __m256i sum = _mm256_setzero_si256();
  for (std::size_t i = 0; i < row.size; i += kLanesOfAvx2) {
    const __m256d scaled = _mm256_mul_pd(_mm256_load_pd(weight + i), scale);
    sum = _mm256_add_epi64(
        sum, rounded(_mm256_mul_pd(_mm256_mul_pd(scaled, scaled), _mm256_set1_pd(0x1p52))));
  }
  alignas(32) std::uint64_t part[kLanesOfAvx2];
  _mm256_store_si256(reinterpret_cast<__m256i*>(part), sum);
  return {part[0] + part[1] + part[2] + part[3], RowSquares::exponent_of(largest)};
}

}  // namespace kindred::cpu
#endif
