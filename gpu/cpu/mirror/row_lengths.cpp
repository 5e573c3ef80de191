#include "gpu/cpu/mirror/row_lengths.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/scoring.h"
#include "gpu/workers.h"

// The lengths of all rows, after every change of N, df or rows.
//
// Floor: 6 bytes an entry over the memory's rate if all rows are measured. If few idf changed: the
// postings of their terms, 2 bytes each, and 10 bytes a row in the second-level cache.

namespace kindred::cpu {
namespace {

constexpr std::uint32_t kRowsMeasuredAtOnce = 8192;  // one item of parallel work
// Entries that are measured in the time that corrects a posting, or looks up a list.
constexpr std::uint64_t kEntriesPerPosting = 2, kEntriesPerList = 30;

struct ChangedTerm {
  std::uint32_t term;
  double before, after;  ///< idf
};

/// The terms whose idf differs. There may be more terms after than before.
std::vector<ChangedTerm> changed_terms(const TermWeighting& before, const TermWeighting& after) {
  std::vector<ChangedTerm> changed;
  for (std::uint32_t t = 0; t < before.idf.size(); ++t)
    if (before.idf[t] != after.idf[t]) changed.push_back({t, before.idf[t], after.idf[t]});
  return changed;
}

/// True if it is quicker to correct the squares than to measure all rows.
bool pays_to_correct(std::span<const TilePart> tiles, const std::vector<ChangedTerm>& changed,
                     std::uint64_t entries) {
  std::uint64_t cost = std::uint64_t{kEntriesPerList} * changed.size() * tiles.size();
  if (cost > entries) return false;
  for (const TilePart& part : tiles)
    for (const ChangedTerm& each : changed)
      cost += kEntriesPerPosting * part.tile->count_postings(each.term);
  return cost <= entries;
}

/// Corrects the squares of a tile's rows.
class TileCorrection {
 public:
  TileCorrection(const TilePart& part, const TermWeighting& weighting, std::uint64_t* sum,
                 std::int16_t* exponent)
      : part_(part),
        weighting_(weighting),
        sum_(sum + part.tile->first_place),
        exponent_(exponent + part.tile->first_place) {}

  void apply(const ChangedTerm& changed) {
    part_.tile->for_each_run(changed.term, [&](const TileRun& run) {
      if (run.count >= weighting_.tf.size()) return;  // only dead rows have it
      set_run(changed, run);
      run.for_each_document([&](std::uint32_t document) {
        if (document < part_.documents) correct(document);
      });
    });
  }

 private:
  /// What is added to the sums of rows of one exponent.
  struct Difference {
    std::int16_t exponent;
    std::uint64_t value;  ///< modulo 2^64
  };
  struct WeightPair {
    double before = 0, after = 0;
  };

  static std::uint64_t square(double weight, double scale) {
    SquareSum sum;
    sum.add(weight * scale);
    return sum.low;
  }

  static std::uint64_t difference(const WeightPair& weight, double scale) {
    return square(weight.after, scale) - square(weight.before, scale);
  }

  WeightPair weights(const ChangedTerm& changed, std::uint32_t count) const {
    const double tf = weighting_.tf[count];
    return {tf * changed.before, tf * changed.after};
  }

  void set_run(const ChangedTerm& changed, const TileRun& run) {
    weight_ = weights(changed, run.count);
    base_ = run.base == 0 ? WeightPair{} : weights(changed, run.base);
    from_ = RowSquares::exponent_of(weight_.before);
    to_ = RowSquares::exponent_of(weight_.after);
    differences_.fill({RowSquares::kUnknown, 0});
  }

  /// The largest weight of a row keeps its exponent if the former weight was not among those of
  /// this exponent, or the present one is. Else the row has to be measured.
  void correct(std::uint32_t document) {
    const std::int16_t exponent = exponent_[document];
    if (exponent == RowSquares::kUnknown) return;
    if (to_ > exponent || (from_ >= exponent && from_ != to_) || std::isinf(weight_.after)) {
      exponent_[document] = RowSquares::kUnknown;
      return;
    }
    Difference& own = differences_[static_cast<std::size_t>(exponent) % differences_.size()];
    if (own.exponent != exponent) {
      const double scale = RowSquares::scale_of(exponent);
      own = {exponent, difference(weight_, scale) - difference(base_, scale)};
    }
    sum_[document] += own.value;
  }

  const TilePart& part_;
  const TermWeighting& weighting_;
  std::uint64_t* const sum_;
  std::int16_t* const exponent_;
  WeightPair weight_, base_;  ///< of the run's count, and of that which an earlier run stands for
  std::int16_t from_ = 0, to_ = 0;
  std::array<Difference, 16> differences_{};
};

}  // namespace

RowLengths::RowLengths(const MirrorRows& mirror, const TermWeighting& weighting,
                       const MeasureOptions& options)
    : sum_(AlignedArray<std::uint64_t>::for_overwrite(mirror.places())),
      exponent_(AlignedArray<std::int16_t>::for_overwrite(mirror.places())),
      lengths_of_(choose_lengths(options.set)) {
  measure(mirror, weighting, options, 0);
}

RowLengths::RowLengths(const RowLengths& before, std::span<const TilePart> tiles,
                       const TermWeighting& weighting, const MirrorRows& mirror,
                       const TermWeighting& later, const MeasureOptions& options)
    : sum_(AlignedArray<std::uint64_t>::for_overwrite(mirror.places())),
      exponent_(AlignedArray<std::int16_t>::for_overwrite(mirror.places())),
      lengths_of_(choose_lengths(options.set)) {
  const std::vector<ChangedTerm> changed = changed_terms(weighting, later);
  const auto old_places = static_cast<std::uint32_t>(before.sum_.size());
  if (changed.empty() && weighting.tf == later.tf) {
    std::copy_n(before.sum_.data(), old_places, sum_.data());
    std::copy_n(before.exponent_.data(), old_places, exponent_.data());
    measure(mirror, later, options, old_places);
    return;
  }
  if (tiles.empty() || weighting.tf != later.tf ||
      !pays_to_correct(tiles, changed, mirror.nonzeros())) {
    measure(mirror, later, options, 0);
    return;
  }
  for_each_item(tiles.size(), options.threads, [&](std::size_t i) {
    const std::uint32_t first = tiles[i].tile->first_place;
    std::copy_n(before.sum_.data() + first, tiles[i].documents, sum_.data() + first);
    std::copy_n(before.exponent_.data() + first, tiles[i].documents, exponent_.data() + first);
    TileCorrection correction(tiles[i], later, sum_.data(), exponent_.data());
    for (const ChangedTerm& each : changed) correction.apply(each);
  });
  measure_unknown(mirror, later, options, old_places);
  measure(mirror, later, options, old_places);
}

/// Measures the rows from `begin` on.
void RowLengths::measure(const MirrorRows& mirror, const TermWeighting& weighting,
                         const MeasureOptions& options, std::uint32_t begin) {
  const WeightTables tables(weighting);
  const MeasureFunction measure_row = choose_measure(options.set, tables);
  const auto measure_rows = [&](std::uint32_t first, std::uint32_t last) {
    mirror.for_each(begin + first, begin + last,
                    [&](std::uint32_t place, const MirrorRows::RowEntries& row) {
                      const RowSquares own = row.size <= RowSquares::kMostEntries
                                                 ? measure_row(tables, row)
                                                 : RowSquares{0, RowSquares::kUnknown};
                      sum_.data()[place] = own.sum;
                      exponent_.data()[place] = own.exponent;
                    });
  };
  for_each_chunk(mirror.places() - begin, kRowsMeasuredAtOnce, options.threads, measure_rows);
}

/// Measures the rows before `end` whose correction failed.
void RowLengths::measure_unknown(const MirrorRows& mirror, const TermWeighting& weighting,
                                 const MeasureOptions& options, std::uint32_t end) {
  const WeightTables tables(weighting);
  const MeasureFunction measure_row = choose_measure(options.set, tables);
  const auto measure_rows = [&](std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t place = first; place < last; ++place) {
      if (exponent_.data()[place] != RowSquares::kUnknown) continue;
      const MirrorRows::RowEntries row = mirror[place];
      if (row.size > RowSquares::kMostEntries) continue;
      const RowSquares own = measure_row(tables, row);
      sum_.data()[place] = own.sum;
      exponent_.data()[place] = own.exponent;
    }
  };
  for_each_chunk(end, kRowsMeasuredAtOnce, options.threads, measure_rows);
}

void RowLengths::write(const MirrorRows& mirror, const TermWeighting& weighting,
                       std::uint32_t begin, std::uint32_t end, double* length) const {
  lengths_of_(sum_.data() + begin, exponent_.data() + begin, end - begin, length);
  for (std::uint32_t place = begin; place < end; ++place) {
    if (!mirror.dead(place) && exponent_.data()[place] != RowSquares::kUnknown) continue;
    const MirrorRows::RowEntries row = mirror[place];  // none of a dead place
    length[place - begin] = euclidean_length(row.size, [&](std::size_t j) {
      return weighting.tf[row.count[j]] * weighting.idf[row.column[j]];
    });
  }
}

std::size_t RowLengths::bytes() const {
  return sum_.size() * sizeof(std::uint64_t) + exponent_.size() * sizeof(std::int16_t);
}

}  // namespace kindred::cpu
