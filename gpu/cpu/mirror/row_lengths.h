#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/cpu/aligned_array.h"
#include "gpu/cpu/instruction_set.h"
#include "gpu/cpu/mirror/measure.h"
#include "gpu/cpu/mirror/mirror_rows.h"
#include "gpu/cpu/mirror/tiles.h"
#include "gpu/queries.h"

namespace kindred::cpu {

/// How lengths are measured: the instruction set, and the number of threads.
struct MeasureOptions {
  InstructionSet set;
  std::size_t threads;
};

/// The sums of squares of a mirror's rows under a weighting, from which their lengths follow. They
/// are integers, so those of rows of which few weights changed are corrected by the difference.
class RowLengths {
 public:
  RowLengths() = default;  ///< of no rows

  /// Measures all rows, which have passed the checks of ExactScores.
  RowLengths(const MirrorRows& mirror, const TermWeighting& weighting,
             const MeasureOptions& options);

  /// Those of `mirror`, given those before it changed. `tiles` are of the rows before, `weighting`
  /// is the former one and `later` the present one. If both weigh alike, only rows that came are
  /// measured. Else all are, where that is quicker, and where there are no tiles.
  RowLengths(const RowLengths& before, std::span<const TilePart> tiles,
             const TermWeighting& weighting, const MirrorRows& mirror, const TermWeighting& later,
             const MeasureOptions& options);

  /// Writes the length of the row at each place of [begin, end) to `length`; 0 for dead places.
  void write(const MirrorRows& mirror, const TermWeighting& weighting, std::uint32_t begin,
             std::uint32_t end, double* length) const;

  std::size_t bytes() const;

 private:
  void measure(const MirrorRows& mirror, const TermWeighting& weighting,
               const MeasureOptions& options, std::uint32_t begin);
  void measure_unknown(const MirrorRows& mirror, const TermWeighting& weighting,
                       const MeasureOptions& options, std::uint32_t end);

  AlignedArray<std::uint64_t> sum_;      ///< [places] RowSquares::sum
  AlignedArray<std::int16_t> exponent_;  ///< [places] RowSquares::exponent
  LengthsFunction lengths_of_ = nullptr;
};

}  // namespace kindred::cpu
