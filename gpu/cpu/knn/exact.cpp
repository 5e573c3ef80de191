#include "gpu/cpu/knn/exact.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <string>
#include <utility>

#include "config/error.h"
#include "gpu/knn/check.h"
#include "gpu/scoring.h"
#include "gpu/workers.h"

namespace kindred::cpu {
namespace {

// Entries of rows that are gone through in the time that finds a term in a tile, or its rows
// through the callback of a MirrorChange.
constexpr std::uint64_t kEntriesPerTile = 256, kEntriesPerList = 131072;

[[noreturn]] void refuse(const std::string& fault) {
  throw Error(Errc::kInvalidArgument, "mirror: " + fault);
}

const TermWeighting& checked(const TermWeighting& weighting, const MirrorRows& mirror) {
  check_weighting(weighting, mirror.columns());
  return weighting;
}

void raise(std::uint16_t& peak, std::uint16_t count) { peak = std::max(peak, count); }

/// Finds the rows that hold a term in the lists of tiles, which have more of them if some died.
bool find_in_tiles(std::span<const TilePart> tiles, std::uint32_t term, std::size_t most,
                   std::vector<TermHolder>& rows) {
  std::size_t postings = 0;
  for (const TilePart& part : tiles) postings += part.tile->count_postings(term);
  if (postings > most) return false;
  for (const TilePart& part : tiles) {
    part.tile->for_each_run(term, [&](const TileRun& run) {
      const auto count = static_cast<std::uint16_t>(run.is_plane ? 0 : run.count);
      run.for_each_document([&](std::uint32_t document) {
        if (document < part.documents) rows.push_back({part.tile->first_place + document, count});
      });
    });
  }
  return true;
}

/// How the rows that hold a term are found in `mirror`, which is that of the tiles after `change`;
/// `tiles` may be none. What is borrowed must outlive the result.
HolderLists holders_in(std::span<const TilePart> tiles, const MirrorChange& change,
                       const MirrorRows& mirror) {
  const auto in_tiles = [tiles](std::uint32_t term, std::size_t most, auto& rows) {
    return find_in_tiles(tiles, term, most, rows);
  };
  if (!tiles.empty()) return {in_tiles, kEntriesPerTile * tiles.size()};
  if (!change.find_holders) return {};
  const auto ask = [&](std::uint32_t term, std::size_t most, std::vector<TermHolder>& rows) {
    std::vector<std::uint32_t> numbers;
    if (!change.find_holders(term, most, numbers)) return false;
    for (const std::uint32_t number : numbers) rows.push_back({mirror.where().place_of(number), 0});
    return true;
  };
  return {ask, kEntriesPerList};
}

}  // namespace

void QueryFactors::assign(std::span<const std::uint32_t> terms,
                          std::span<const double> unit_weights, const TermWeighting& weighting,
                          double scale) {
  entries_.clear();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const double factor = term_factor(unit_weights[i], weighting.idf[terms[i]], scale);
    if (factor > 0) entries_.push_back({terms[i], factor});
  }
  build_table();
}

void QueryFactors::build_table() {
  const std::size_t size = std::bit_ceil(2 * entries_.size() + 1);
  table_.assign(size, {0, 0});
  mask_ = size - 1;
  slot_shift_ = std::max(0, 32 - std::countr_zero(size));
  const int log_bits = std::clamp(std::countr_zero(size) + 4, 6, 32);
  bit_shift_ = 32 - log_bits;
  maybe_.assign((std::size_t{1} << log_bits) / 64, 0);
  for (const TermFactor& entry : entries_) {
    std::size_t i = slot(entry.term);
    while (table_[i].factor != 0) i = (i + 1) & mask_;
    table_[i] = entry;
    const std::uint32_t bit = hash(entry.term) >> bit_shift_;
    maybe_[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
}

ExactScores::ExactScores(MirrorRows mirror, const TermWeighting& weighting,
                         const MeasureOptions& options)
    : mirror_(std::make_shared<const MirrorRows>(std::move(mirror))),
      weighting_(checked(weighting, *mirror_)) {
  count_peaks(options.threads);
  set_peaks(options.threads);
  lengths_ = RowLengths(*mirror_, weighting_, options);
  set_scale(0, options.threads);
}

ExactScores::ExactScores(const ExactScores& before, std::span<const TilePart> tiles,
                         MirrorRows mirror, const MirrorChange& change,
                         const TermWeighting& weighting, const MeasureOptions& options)
    : mirror_(std::make_shared<const MirrorRows>(std::move(mirror))),
      weighting_(checked(weighting, *mirror_)) {
  peak_count_ = before.peak_count_;
  if (change.added.rows > 0 || mirror_->columns() > peak_count_->size()) {
    std::vector<std::uint16_t> peaks = *before.peak_count_;
    peaks.resize(mirror_->columns());
    for (std::uint64_t i = 0; i < change.added.nonzeros(); ++i)
      raise(peaks[change.added.column[i]], change.added.count[i]);
    peak_count_ = std::make_shared<const std::vector<std::uint16_t>>(std::move(peaks));
  }
  set_peaks(options.threads);
  const LargestTf largest_tf = [this](std::uint32_t term) {
    return peak_tf_[(*peak_count_)[term]];
  };
  const HolderLists holders = holders_in(tiles, change, *mirror_);
  lengths_ = RowLengths(before.lengths_, *mirror_,
                        {before.weighting_, weighting_, largest_tf, holders}, options);
  set_scale(change.longest_of_all, options.threads);
}

/// The largest count of each term in a live row.
void ExactScores::count_peaks(std::size_t threads) {
  std::vector<std::uint16_t> peaks(mirror_->columns());
  std::mutex mutex;
  const auto rows = static_cast<std::uint32_t>(mirror_->places() / number_of_threads(threads) + 1);
  for_each_chunk(mirror_->places(), rows, threads, [&](std::uint32_t begin, std::uint32_t end) {
    std::vector<std::uint16_t> own(peaks.size());
    mirror_->for_each(begin, end, [&](std::uint32_t, const MirrorRows::RowEntries& entries) {
      for (std::size_t i = 0; i < entries.size; ++i)
        raise(own[entries.column[i]], entries.count[i]);
    });
    const std::lock_guard lock(mutex);
    for (std::size_t t = 0; t < own.size(); ++t) raise(peaks[t], own[t]);
  });
  peak_count_ = std::make_shared<const std::vector<std::uint16_t>>(std::move(peaks));
}

/// Checks the peaks, which may be too large if rows have died since they were counted.
void ExactScores::set_peaks(std::size_t threads) {
  if (largest_peak() > 0 && largest_peak() >= weighting_.tf.size()) count_peaks(threads);
  const std::uint16_t largest = largest_peak();
  if (largest > 0 && largest >= weighting_.tf.size())
    refuse("a count of " + std::to_string(largest) + ", but the table of term frequencies has " +
           std::to_string(weighting_.tf.size()) + " values");
  peak_tf_.assign(std::size_t{largest} + 1, 0);
  for (std::size_t c = 1; c <= largest; ++c)
    peak_tf_[c] = std::max(peak_tf_[c - 1], weighting_.tf[c]);
}

std::uint16_t ExactScores::largest_peak() const {
  return peak_count_->empty() ? 0 : *std::max_element(peak_count_->begin(), peak_count_->end());
}

void ExactScores::set_scale(double longest_of_all, std::size_t threads) {
  const bool divides_all = weighting_.divisor == RowDivisor::kLongest;
  longest_ = lengths_.longest(*mirror_, weighting_, divides_all, threads);
  const double longest = std::max(longest_, longest_of_all);
  if (divides_all) common_length_ = longest;
  const int exponent = scale_exponent(longest);
  scale_ = std::ldexp(1.0, exponent);
  unit_ = std::ldexp(1.0, -exponent);
}

std::int64_t ExactScores::largest_sum(const QueryFactors& query) const {
  // No document's length reaches 2^62 units. A sum exceeds the length only by rounding: by half a
  // unit per term, and by a relative 2^-22, which is far more than the error of a length.
  constexpr double kLongest = 0x1p62 + 0x1p40;
  const std::vector<std::uint16_t>& peaks = *peak_count_;
  double sum = 0;
  for (const auto& [term, factor] : query.entries())
    if (peaks[term] > 0) sum += factor * peak_tf_[peaks[term]] + 1;
  const double rounding = static_cast<double>(query.entries().size());
  return static_cast<std::int64_t>(std::min(sum * (1 + 0x1p-20), kLongest + rounding));
}

void ExactScores::prefetch(std::uint32_t place) const {
  const MirrorRows::RowEntries entries = (*mirror_)[place];
  for (std::size_t i = 0; i < entries.size; i += 16) __builtin_prefetch(entries.column + i);
  for (std::size_t i = 0; i < entries.size; i += 32) __builtin_prefetch(entries.count + i);
}

float ExactScores::score(std::uint32_t place, const QueryFactors& query) const {
  const MirrorRows::RowEntries entries = (*mirror_)[place];
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < entries.size; ++i) {
    const double factor = query.find(entries.column[i]);
    if (factor != 0) sum += contribution(factor, weighting_.tf[entries.count[i]]);
  }
  if (sum == 0) return 0;
  return similarity(sum, reciprocal_length(length_of(entries, place), unit_));
}

/// The length that divides the row at `place`, which has positive weights.
double ExactScores::length_of(const MirrorRows::RowEntries& entries, std::uint32_t place) const {
  if (common_length_ > 0) return common_length_;
  return lengths_.is_exact() ? lengths_[place] : cpu::length_of(entries, weighting_);
}

std::size_t ExactScores::bytes() const {
  return peak_tf_.capacity() * sizeof(double) +
         peak_count_->capacity() * sizeof(std::uint16_t) /
             static_cast<std::size_t>(peak_count_.use_count()) +
         lengths_.bytes() + mirror_->bytes();
}

}  // namespace kindred::cpu
