#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "gpu/cpu/instruction_set.h"
#include "gpu/queries.h"
#include "gpu/scoring.h"
#include "gpu/segment_list.h"

namespace kindred::cpu {

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
  explicit WeightTables(const TermWeighting& weighting);

  const double* idf;
  const double* tf;
  double first_tf[16] = {};  ///< tf[0] .. tf[15], as far as there are so many
  bool wide;                 ///< more columns than an int32_t can number
};

/// Measures a row of at most RowSquares::kMostEntries entries. Its counts are in the table of tf.
using MeasureFunction = RowSquares (*)(const WeightTables& tables, const RowEntries& row);

RowSquares measure_row_baseline(const WeightTables& tables, const RowEntries& row);
#if defined(__x86_64__)
RowSquares measure_row_avx2(const WeightTables& tables, const RowEntries& row);
RowSquares measure_row_avx512(const WeightTables& tables, const RowEntries& row);
#endif

/// Writes RowSquares::length() of n rows; any value for those of an unknown exponent.
using LengthsFunction = void (*)(const std::uint64_t* sum, const std::int16_t* exponent,
                                 std::size_t n, double* length);

void lengths_baseline(const std::uint64_t* sum, const std::int16_t* exponent, std::size_t n,
                      double* length);
#if defined(__x86_64__)
void lengths_avx512(const std::uint64_t* sum, const std::int16_t* exponent, std::size_t n,
                    double* length);
#endif

/// The kernels for an instruction set; all give the same bits.
LengthsFunction choose_lengths(InstructionSet set);
MeasureFunction choose_measure(InstructionSet set, const WeightTables& tables);

}  // namespace kindred::cpu
