#include "gpu/cpu/row_lengths.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "config/error.h"
#include "gpu/scoring.h"
#include "gpu/workers.h"

// The lengths of all rows, after every change of N, df or rows.
//
// Floor: 6 bytes an entry over the memory's rate, and a look-up of idf.

namespace kindred::cpu {
namespace {

/// What the length of a row is made of (euclidean_length() of gpu/scoring.h): the sum of the
/// squared weights in units of 2^-52, after scaling by 2^-exponent.
struct RowSquares {
  /// The exponent of rows that are not measured: they are too long for a sum of 64 bits, or have a
  /// weight that is not finite.
  static constexpr std::int16_t kUnknown = INT16_MAX;
  /// Of the smallest scale that length_scale() uses, and of rows without weight.
  static constexpr std::int16_t kLeast = -1000;
  static constexpr std::size_t kMostEntries = 4095;  ///< whose squares fit 64 bits

  std::uint64_t sum = 0;
  std::int16_t exponent = kLeast;

  /// The length of a row that is measured.
  double length() const { return SquareSum{sum, 0}.root() / scale_of(exponent); }

  /// The power of two by which weights are scaled.
  static double scale_of(std::int16_t exponent) {
    constexpr int kLargest = 1022;  // of exponents whose scales are normal numbers
    if (exponent > kLargest) return std::ldexp(1.0, -exponent);
    return std::bit_cast<double>(static_cast<std::uint64_t>(1023 - exponent) << 52);
  }

  /// The exponent that length_scale() takes for a largest weight, which is >= 0 and finite.
  static std::int16_t exponent_of(double weight) {
    const int biased = static_cast<int>(std::bit_cast<std::uint64_t>(weight) >> 52);
    return static_cast<std::int16_t>(biased - 1022 < kLeast ? kLeast : biased - 1022);
  }
};

/// A weighting as the kernels read it.
struct WeightTables {
  explicit WeightTables(const TermWeighting& weighting)
      : idf(weighting.idf.data()),
        tf(weighting.tf.data()),
        wide(weighting.idf.size() > std::size_t{INT32_MAX}) {
    std::copy_n(tf, std::min<std::size_t>(weighting.tf.size(), 16), first_tf);
  }

  const double* idf;
  const double* tf;
  double first_tf[16] = {};  ///< tf[0] .. tf[15], as far as there are so many
  bool wide;                 ///< more columns than an int32_t can number
};

/// Measures a row of at most RowSquares::kMostEntries entries. Its counts are in the table of tf.
using MeasureFunction = RowSquares (*)(const WeightTables& tables, const RowEntries& row);

/// Writes RowSquares::length() of n rows; any value for those of an unknown exponent.
using LengthsFunction = void (*)(const std::uint64_t* sum, const std::int16_t* exponent,
                                 std::size_t n, double* length);

RowSquares measure_row_baseline(const WeightTables& tables, const RowEntries& row) {
  const auto weight_at = [&](std::size_t i) {
    return tables.tf[row.count[i]] * tables.idf[row.column[i]];
  };
  double largest = 0;
  for (std::size_t i = 0; i < row.size; ++i) largest = std::max(largest, weight_at(i));
  if (!(largest > 0)) return {};
  if (std::isinf(largest)) return {0, RowSquares::kUnknown};
  const double scale = length_scale(largest);
  SquareSum sum;
  for (std::size_t i = 0; i < row.size; ++i) sum.add(weight_at(i) * scale);
  return {sum.low, RowSquares::exponent_of(largest)};
}

void lengths_baseline(const std::uint64_t* sum, const std::int16_t* exponent, std::size_t n,
                      double* length) {
  for (std::size_t i = 0; i < n; ++i) length[i] = RowSquares{sum[i], exponent[i]}.length();
}

#if defined(__x86_64__)

// With AVX-512, weights wait in the first-level cache until the largest is known. Nearly all counts
// are below 16, whose tf two registers hold.

constexpr std::size_t kMeasuredAtOnce = 8;
constexpr std::size_t kAhead = 128;  // entries of the rows that follow, fetched from memory

/// The weights of entries i .. i + 7, as far as they are in `mask`; 0 for the others.
KINDRED_AVX512 inline __m512d weights_of(const WeightTables& tables, const RowEntries& row,
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

KINDRED_AVX512 RowSquares measure_row_avx512(const WeightTables& tables, const RowEntries& row) {
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

KINDRED_AVX512 void lengths_avx512(const std::uint64_t* sum, const std::int16_t* exponent,
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

#endif

/// The kernels for an instruction set; all give the same bits.
LengthsFunction choose_lengths(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512) return lengths_avx512;
#endif
  (void)set;
  return lengths_baseline;
}

MeasureFunction choose_measure(InstructionSet set, const WeightTables& tables) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512 && !tables.wide) return measure_row_avx512;
#endif
  (void)set, (void)tables;
  return measure_row_baseline;
}

constexpr std::uint32_t kRowsMeasuredAtOnce = 8192;  // one item of parallel work

/// The length of a row, by the definition.
double length_of(const RowEntries& row, const TermWeighting& weighting) {
  return euclidean_length(row.size, [&](std::size_t j) {
    return weighting.tf[row.count[j]] * weighting.idf[row.column[j]];
  });
}

/// Measures rows under a weighting.
class Measuring {
 public:
  Measuring(const TermWeighting& weighting, const MeasureOptions& options)
      : weighting_(weighting),
        tables_(weighting),
        measure_(choose_measure(options.set, tables_)),
        lengths_of_(choose_lengths(options.set)) {}

  /// Writes the lengths of places [begin, end) to `length`.
  /// @throws Error kInvalidArgument if one is not finite.
  void measure(const SegmentList& mirror, std::uint32_t begin, std::uint32_t end,
               double* length) const {
    std::array<std::uint64_t, kRowsAtOnce> sum;
    std::array<std::int16_t, kRowsAtOnce> exponent;
    for (; begin < end; begin += std::min<std::uint32_t>(kRowsAtOnce, end - begin)) {
      const std::uint32_t last = std::min<std::uint32_t>(end, begin + kRowsAtOnce);
      mirror.for_each(begin, last, [&](std::uint32_t place, const RowEntries& row) {
        const RowSquares own = row.size <= RowSquares::kMostEntries
                                   ? measure_(tables_, row)
                                   : RowSquares{0, RowSquares::kUnknown};
        sum[place - begin] = own.sum;
        exponent[place - begin] = own.exponent;
      });
      lengths_of_(sum.data(), exponent.data(), last - begin, length);
      for (std::uint32_t place = begin; place < last; ++place, ++length) {
        if (exponent[place - begin] == RowSquares::kUnknown)
          *length = length_of(mirror[place], weighting_);
        check(*length, mirror, place);
      }
    }
  }

 private:
  static constexpr std::uint32_t kRowsAtOnce = 512;

  static void check(double length, const SegmentList& mirror, std::uint32_t place) {
    if (std::isfinite(length)) return;
    throw Error(
        Errc::kInvalidArgument,
        "mirror: the length of row " + std::to_string(mirror.number_at(place)) + " is not finite");
  }

  const TermWeighting& weighting_;
  const WeightTables tables_;
  const MeasureFunction measure_;
  const LengthsFunction lengths_of_;
};

}  // namespace

AlignedArray<double> measure_lengths(const SegmentList& mirror, const TermWeighting& weighting,
                                     const MeasureOptions& options) {
  auto lengths = AlignedArray<double>::for_overwrite(mirror.places());
  const Measuring measuring(weighting, options);
  for_each_chunk(mirror.places(), kRowsMeasuredAtOnce, options.threads,
                 [&](std::uint32_t begin, std::uint32_t end) {
                   measuring.measure(mirror, begin, end, lengths.data() + begin);
                 });
  return lengths;
}

}  // namespace kindred::cpu
