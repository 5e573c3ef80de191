#include "gpu/cpu/row_lengths.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "config/error.h"
#include "gpu/cpu/measure.h"
#include "gpu/scoring.h"
#include "gpu/workers.h"

// The lengths of all rows, after every change of N, df or rows.
//
// Floor: 6 bytes an entry over the memory's rate.

namespace kindred::cpu {
namespace {

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
