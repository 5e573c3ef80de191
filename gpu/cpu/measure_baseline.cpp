#include "gpu/cpu/measure.h"

#include <algorithm>
#include <cmath>

#include "gpu/scoring.h"

// The squares of a row in plain C++, for any processor.
// Floor: 6 bytes an entry, and a look-up of idf in the second-level cache.

namespace kindred::cpu {

WeightTables::WeightTables(const TermWeighting& weighting)
    : idf(weighting.idf.data()),
      tf(weighting.tf.data()),
      wide(weighting.idf.size() > std::size_t{INT32_MAX}) {
  std::copy_n(tf, std::min<std::size_t>(weighting.tf.size(), 16), first_tf);
}

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
  if (set == InstructionSet::kAvx2 && !tables.wide) return measure_row_avx2;
#endif
  (void)set, (void)tables;
  return measure_row_baseline;
}

}  // namespace kindred::cpu
