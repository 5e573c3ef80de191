#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpu/cpu/aligned_array.h"
#include "gpu/cpu/instruction_set.h"
#include "gpu/cpu/mirror/measure.h"
#include "gpu/cpu/mirror/mirror_rows.h"
#include "gpu/cpu/mirror/moved_terms.h"
#include "gpu/cpu/mirror/row_drift.h"
#include "gpu/queries.h"

namespace kindred::cpu {

/// How lengths are measured: the instruction set, and the number of threads.
struct MeasureOptions {
  InstructionSet set;
  std::size_t threads;
};

/// The largest weight that a term's counts have in a live row is largest_tf(term) * idf[term].
using LargestTf = std::function<double(std::uint32_t term)>;

/// The lengths of a mirror's rows, by their places; 0 for dead ones. A change of N moves all idf a
/// little, and with them all lengths. So lengths may be of an earlier weighting, if the true ones
/// differ from them by no more than a bound that docs/scoring.md proves; is_exact() tells. Where
/// the idf of single terms moved more, the rows that hold them are found, and each is measured
/// again when the bound would no longer hold for it. Immutable.
class RowLengths {
 public:
  /// A true length is at least kShortest and at most kLongest times the measured one.
  static constexpr double kShortest = 1 - 0x1p-6 - 0x1p-10;
  static constexpr double kLongest = 1 + 0x1p-6;

  RowLengths() = default;  ///< of no rows

  /// Measures all rows, which have passed the checks of ExactScores. `weighting` is not kept.
  /// @throws Error kInvalidArgument that names a row whose length is not finite.
  RowLengths(const MirrorRows& mirror, const TermWeighting& weighting,
             const MeasureOptions& options);

  /// What a mirror became that had the lengths `before`.
  struct Change {
    const TermWeighting& before;  ///< of which the tf are compared
    const TermWeighting& now;
    const LargestTf& largest_tf;
    const HolderLists& holders;  ///< in the mirror after the change
  };

  /// Those of `mirror` after a change. Measures the rows that were added, and those of which the
  /// bound would not hold; all, if there are too many.
  /// @throws Error as above.
  RowLengths(const RowLengths& before, const MirrorRows& mirror, const Change& change,
             const MeasureOptions& options);

  /// True if every length is the true one under the present weighting.
  bool is_exact() const { return exact_; }
  double operator[](std::uint32_t place) const { return length_.data()[place]; }

  /// The largest true length or, unless it is `wanted_exactly`, one of the same binary exponent.
  double longest(const MirrorRows& mirror, const TermWeighting& weighting, bool wanted_exactly,
                 std::size_t threads) const;

  std::size_t bytes() const;

 private:
  bool follow(const RowLengths& before, const MirrorRows& mirror, const Change& change,
              const MeasureOptions& options);
  bool find_moved(const Change& change, std::vector<MovedTerm>& moved);
  bool copy_lengths(const RowLengths& before, const MirrorRows& mirror, std::size_t threads,
                    std::size_t most, std::vector<std::uint32_t>& places);
  void move_references(const std::vector<double>& idf, std::span<const MovedTerm> moved);
  bool drift(const MirrorRows& mirror, std::span<const MovedRow> moved, std::size_t most,
             std::vector<std::uint32_t>& places);
  void find_longest(std::size_t threads);
  void measure_all(const MirrorRows& mirror, const TermWeighting& weighting,
                   const MeasureOptions& options);
  void measure_range(const MirrorRows& mirror, const TermWeighting& weighting,
                     const MeasureOptions& options, std::uint32_t begin);
  void measure_places(const MirrorRows& mirror, const TermWeighting& weighting,
                      const MeasureOptions& options, std::span<const std::uint32_t> places);

  AlignedArray<double> length_;  ///< [places] as measured last
  bool exact_ = true;
  double longest_ = 0;         ///< of length_
  double typical_square_ = 0;  ///< the mean square of the lengths when all were measured
  double drift_ = 0;           ///< A of docs/scoring.md, the largest since all were measured
  /// [columns] the idf of each term when its move was last counted in the drift of its rows
  std::shared_ptr<const std::vector<double>> reference_;
  std::shared_ptr<const RowDrift> row_drift_;  ///< D of docs/scoring.md; null: no row has drifted
  KnownHolders known_holders_;
};

/// The length of a row, by the definition.
double length_of(const MirrorRows::RowEntries& row, const TermWeighting& weighting);

}  // namespace kindred::cpu
