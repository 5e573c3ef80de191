#include "gpu/cpu/mirror/row_lengths.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include "config/error.h"
#include "gpu/scoring.h"
#include "gpu/workers.h"

// The lengths of all rows, after every change of N, df or rows.
//
// Floor: 6 bytes an entry over the memory's rate if all rows are measured. After a small change: 8
// bytes a row to copy, and some cache misses for each row that is measured.

namespace kindred::cpu {
namespace {

constexpr std::uint32_t kRowsMeasuredAtOnce = 8192;  // one item of parallel work
constexpr std::uint32_t kRowsCopiedAtOnce = 1 << 17;
constexpr std::size_t kPlacesMeasuredAtOnce = 256;  // the same, where they are all over the mirror
constexpr std::uint32_t kFewPlaces = 256;           // always worth measuring one by one
constexpr std::uint32_t kFewShare = 8;              // so are 1 in so many rows
constexpr std::uint32_t kDriftShare = 2;            // rows that may drift by single terms: 1 in 2
constexpr std::uint32_t kFewMoved = 256;            // terms that may always move one by one
constexpr std::uint32_t kMovedShare = 16;           // so may 1 in so many terms

// docs/scoring.md, "Lengths that lag behind", has these numbers.
constexpr double kSteady = 0x1.fp-9;     // an idf is steady if it moved by no more, relative
constexpr double kNegligible = 0x1p-24;  // of a typical square: of what a term that drifts may add
constexpr double kShortRow = 256;        // rows whose square is below so many times A are measured
// Below these, lengths lose digits, and bounds with them.
constexpr double kLeastTf = 0x1p-400, kLeastIdf = 0x1p-500, kLeastAdded = 0x1p-960;
constexpr double kTooMuch = std::numeric_limits<double>::infinity();  // for any row to drift

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
  void measure(const MirrorRows& mirror, std::uint32_t begin, std::uint32_t end,
               double* length) const {
    std::array<std::uint64_t, kRowsAtOnce> sum;
    std::array<std::int16_t, kRowsAtOnce> exponent;
    for (; begin < end; begin += std::min<std::uint32_t>(kRowsAtOnce, end - begin)) {
      const std::uint32_t last = std::min<std::uint32_t>(end, begin + kRowsAtOnce);
      mirror.for_each(begin, last, [&](std::uint32_t place, const MirrorRows::RowEntries& row) {
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

  static void check(double length, const MirrorRows& mirror, std::uint32_t place) {
    if (std::isfinite(length)) return;
    throw Error(Errc::kInvalidArgument, "mirror: the length of row " +
                                            std::to_string(mirror.where().number_at(place)) +
                                            " is not finite");
  }

  const TermWeighting& weighting_;
  const WeightTables tables_;
  const MeasureFunction measure_;
  const LengthsFunction lengths_of_;
};

/// Calls visit(place) for the dead places of [begin, end); begin is a multiple of 64.
template <typename Visit>
void for_each_dead(const RowSet& dead, std::uint32_t begin, std::uint32_t end, Visit&& visit) {
  for (std::uint32_t place = begin; place < end && place < dead.rows(); place += 64) {
    for (std::uint64_t left = dead.words()[place / 64]; left != 0; left &= left - 1) {
      const std::uint32_t at = place + static_cast<std::uint32_t>(std::countr_zero(left));
      if (at < end) visit(at);
    }
  }
}

/// How much the square of an idf moved.
double moved_square(double before, double now) { return std::abs(now - before) * (now + before); }

bool is_vanishing(double weight, double least) { return weight > 0 && weight < least; }

}  // namespace

double length_of(const MirrorRows::RowEntries& row, const TermWeighting& weighting) {
  return euclidean_length(row.size, [&](std::size_t j) {
    return weighting.tf[row.count[j]] * weighting.idf[row.column[j]];
  });
}

RowLengths::RowLengths(const MirrorRows& mirror, const TermWeighting& weighting,
                       const MeasureOptions& options) {
  measure_all(mirror, weighting, options);
}

RowLengths::RowLengths(const RowLengths& before, const MirrorRows& mirror, const Change& change,
                       const MeasureOptions& options) {
  if (!follow(before, mirror, change, options)) measure_all(mirror, change.now, options);
}

void RowLengths::measure_all(const MirrorRows& mirror, const TermWeighting& weighting,
                             const MeasureOptions& options) {
  length_ = AlignedArray<double>::for_overwrite(mirror.places());
  exact_ = true;
  drift_ = 0;
  row_drift_.reset();
  measure_range(mirror, weighting, options, 0);
  find_longest(options.threads);
  double squares = 0;
  for (std::uint32_t place = 0; place < mirror.places(); ++place)
    squares += length_.data()[place] * length_.data()[place];
  typical_square_ = squares / std::max(1u, mirror.places());
  reference_ = std::make_shared<const std::vector<double>>(weighting.idf);
}

/// Measures the rows from `begin` on.
void RowLengths::measure_range(const MirrorRows& mirror, const TermWeighting& weighting,
                               const MeasureOptions& options, std::uint32_t begin) {
  const Measuring measuring(weighting, options);
  for_each_chunk(mirror.places() - begin, kRowsMeasuredAtOnce, options.threads,
                 [&](std::uint32_t first, std::uint32_t last) {
                   measuring.measure(mirror, begin + first, begin + last,
                                     length_.data() + begin + first);
                 });
}

void RowLengths::measure_places(const MirrorRows& mirror, const TermWeighting& weighting,
                                const MeasureOptions& options,
                                std::span<const std::uint32_t> places) {
  const Measuring measuring(weighting, options);
  for_each_chunk(places.size(), kPlacesMeasuredAtOnce, options.threads,
                 [&](std::size_t first, std::size_t last) {
                   for (const std::uint32_t place : places.subspan(first, last - first))
                     measuring.measure(mirror, place, place + 1, length_.data() + place);
                 });
}

/// When all lengths are written: the row that was the longest may have been measured again.
void RowLengths::find_longest(std::size_t threads) {
  std::mutex mutex;
  longest_ = 0;
  for_each_chunk(length_.size(), std::size_t{kRowsCopiedAtOnce}, threads,
                 [&](std::size_t begin, std::size_t end) {
                   const double own =
                       *std::max_element(length_.data() + begin, length_.data() + end);
                   const std::lock_guard lock(mutex);
                   longest_ = std::max(longest_, own);
                 });
}

/// False if it is quicker to measure all rows, or nothing else can be done.
bool RowLengths::follow(const RowLengths& before, const MirrorRows& mirror, const Change& change,
                        const MeasureOptions& options) {
  const std::vector<double>& tf = change.now.tf;
  if (change.before.tf != tf) return false;
  if (std::ranges::any_of(tf, [](double each) { return is_vanishing(each, kLeastTf); }))
    return false;
  exact_ = before.exact_;
  typical_square_ = before.typical_square_;
  drift_ = before.drift_;
  reference_ = before.reference_;
  row_drift_ = before.row_drift_;
  known_holders_ = before.known_holders_;
  const auto old_places = static_cast<std::uint32_t>(before.length_.size());
  const std::size_t most = kFewPlaces + old_places / kFewShare;
  std::vector<MovedTerm> terms;
  std::vector<std::uint32_t> places;
  if (mirror.places() - old_places > most || !find_moved(change, terms)) return false;
  if (terms.size() > kFewMoved + reference_->size() / kMovedShare) return false;
  auto moved = rows_of(terms, mirror, tf, change.holders, kFewPlaces + old_places / kDriftShare,
                       options.threads, known_holders_);
  if (!moved || !copy_lengths(before, mirror, options.threads, most, places)) return false;
  std::erase_if(*moved, [&](const MovedRow& row) { return row.place >= old_places; });
  if (!drift(mirror, *moved, most, places)) return false;
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  measure_places(mirror, change.now, options, places);
  measure_range(mirror, change.now, options, old_places);
  find_longest(options.threads);
  return std::isfinite(longest_ * kLongest);
}

/// Finds the terms whose idf is not steady any more. Those of little weight are left to drift in
/// all rows. False if lengths would lose digits.
bool RowLengths::find_moved(const Change& change, std::vector<MovedTerm>& moved) {
  const std::vector<double>& idf = change.now.idf;
  const std::vector<double>& known = *reference_;
  double drift = 0;
  bool same = true;
  for (std::uint32_t t = 0; t < known.size(); ++t) {
    const double own = known[t];
    if (idf[t] == own) continue;
    same = false;
    if (is_vanishing(idf[t], kLeastIdf)) return false;
    if (std::abs(idf[t] - own) <= kSteady * own) continue;
    const double tf = change.largest_tf(t), square = moved_square(own, idf[t]);
    const double added = tf * tf * square;
    if (added >= kLeastAdded && added <= kNegligible * typical_square_)
      drift += added;
    else
      moved.push_back(added >= kLeastAdded ? MovedTerm{t, square, added}
                                           : MovedTerm{t, kTooMuch, kTooMuch});
  }
  exact_ = exact_ && same;
  drift_ = std::max(drift_, drift);
  if (!moved.empty() || idf.size() > known.size()) move_references(idf, moved);
  return true;
}

/// The terms that moved, and those that are new, are compared with their present idf from now on.
void RowLengths::move_references(const std::vector<double>& idf, std::span<const MovedTerm> moved) {
  const std::vector<double>& known = *reference_;
  auto reference = std::make_shared<std::vector<double>>();
  reference->reserve(idf.size());
  reference->assign(known.begin(), known.end());
  reference->insert(reference->end(), idf.begin() + static_cast<std::ptrdiff_t>(known.size()),
                    idf.end());
  for (const MovedTerm& each : moved) (*reference)[each.term] = idf[each.term];
  reference_ = std::move(reference);
}

/// Counts what terms that moved do to the rows that hold them, and adds those to `places` that are
/// to be measured. False if there are more than `most`.
bool RowLengths::drift(const MirrorRows& mirror, std::span<const MovedRow> moved, std::size_t most,
                       std::vector<std::uint32_t>& places) {
  if (moved.empty()) return true;
  auto drifts = row_drift_ ? std::make_shared<RowDrift>(*row_drift_) : std::make_shared<RowDrift>();
  drifts->grow(mirror.places());
  for (const auto& [place, added] : moved) {
    if (drifts->add(place, added, length_.data()[place])) continue;
    if (places.size() >= most) return false;
    places.push_back(place);
  }
  row_drift_ = std::move(drifts);
  return true;
}

/// Copies the lengths of rows that are alive, and adds those rows to `places` that are so short
/// that the bound does not hold. False if there are more than `most`.
bool RowLengths::copy_lengths(const RowLengths& before, const MirrorRows& mirror,
                              std::size_t threads, std::size_t most,
                              std::vector<std::uint32_t>& places) {
  length_ = AlignedArray<double>::for_overwrite(mirror.places());
  const double shortest = std::sqrt(kShortRow * drift_);
  std::mutex mutex;
  std::vector<std::uint32_t> short_rows;
  const auto copy = [&](std::uint32_t begin, std::uint32_t end) {
    std::copy_n(before.length_.data() + begin, end - begin, length_.data() + begin);
    const RowSet& dead = mirror.where().dead();
    for_each_dead(dead, begin, end, [&](std::uint32_t place) { length_.data()[place] = 0; });
    for (std::uint32_t place = begin; shortest > 0 && place < end; ++place) {
      if (length_.data()[place] >= shortest || dead.has(place)) continue;
      const std::lock_guard lock(mutex);
      if (short_rows.size() > most) return;
      short_rows.push_back(place);
    }
  };
  for_each_chunk(static_cast<std::uint32_t>(before.length_.size()), kRowsCopiedAtOnce, threads,
                 copy);
  places.insert(places.end(), short_rows.begin(), short_rows.end());
  return short_rows.size() <= most;
}

double RowLengths::longest(const MirrorRows& mirror, const TermWeighting& weighting,
                           bool wanted_exactly, std::size_t threads) const {
  const double least = longest_ * kShortest, most = longest_ * kLongest;
  if (exact_ || (!wanted_exactly && scale_exponent(least) == scale_exponent(most))) return longest_;
  std::mutex mutex;
  double longest = 0;
  for_each_chunk(mirror.places(), kRowsMeasuredAtOnce, threads,
                 [&](std::uint32_t begin, std::uint32_t end) {
                   double own = 0;
                   for (std::uint32_t place = begin; place < end; ++place)
                     if (length_.data()[place] * kLongest >= least)
                       own = std::max(own, length_of(mirror[place], weighting));
                   const std::lock_guard lock(mutex);
                   longest = std::max(longest, own);
                 });
  return longest;
}

std::size_t RowLengths::bytes() const {
  const auto share = [](std::size_t bytes, const auto& owner) {
    return bytes / static_cast<std::size_t>(std::max(1L, owner.use_count()));
  };
  const auto& [least, rare, looked_through, making] = known_holders_;
  const std::size_t lists = known_holders_.latest() ? known_holders_.latest()->bytes() : 0;
  return length_.size() * sizeof(double) +
         share(reference_ ? reference_->capacity() * sizeof(double) : 0, reference_) +
         share(row_drift_ ? row_drift_->bytes() : 0, row_drift_) +
         (making ? share(lists, making) : share(lists, rare));
}

}  // namespace kindred::cpu
