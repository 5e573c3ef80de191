#include "gpu/cpu/knn/exact.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "config/error.h"
#include "gpu/knn/check.h"
#include "gpu/scoring.h"
#include "gpu/workers.h"

namespace kindred::cpu {
namespace {

constexpr std::uint32_t kRowsAtOnce = 16384;  // one item of parallel work

[[noreturn]] void refuse(const std::string& fault) {
  throw Error(Errc::kInvalidArgument, "mirror: " + fault);
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

ExactScores::ExactScores(MirrorRows mirror, const TermWeighting& weighting, std::size_t threads)
    : mirror_(std::move(mirror)), weighting_(weighting) {
  check_weighting(weighting, mirror_.columns());
  count_peaks();
  measure_lengths(threads);
}

void ExactScores::count_peaks() {
  peak_count_.assign(mirror_.columns(), 0);
  std::uint16_t largest = 0;
  for (std::uint32_t place = 0; place < mirror_.places(); ++place) {
    const MirrorRows::RowEntries entries = mirror_[place];
    for (std::size_t i = 0; i < entries.size; ++i) {
      std::uint16_t& peak = peak_count_[entries.column[i]];
      peak = std::max(peak, entries.count[i]);
      largest = std::max(largest, peak);
    }
  }
  if (largest > 0 && largest >= weighting_.tf.size())
    refuse("a count of " + std::to_string(largest) + ", but the table of term frequencies has " +
           std::to_string(weighting_.tf.size()) + " values");
  peak_tf_.assign(std::size_t{largest} + 1, 0);
  for (std::size_t c = 1; c <= largest; ++c)
    peak_tf_[c] = std::max(peak_tf_[c - 1], weighting_.tf[c]);
}

double ExactScores::length(std::uint32_t place) const {
  const MirrorRows::RowEntries entries = mirror_[place];
  const double result = euclidean_length(entries.size, [&](std::size_t j) {
    return weighting_.tf[entries.count[j]] * weighting_.idf[entries.column[j]];
  });
  if (!std::isfinite(result))
    refuse("the length of row " + std::to_string(mirror_.where().number_at(place)) +
           " is not finite");
  return result;
}

void ExactScores::measure_lengths(std::size_t threads) {
  reciprocal_.resize(mirror_.places());
  for_each_chunk(mirror_.places(), kRowsAtOnce, threads,
                 [&](std::uint32_t begin, std::uint32_t end) {
                   for (std::uint32_t place = begin; place < end; ++place)
                     reciprocal_[place] = length(place);
                 });
  double longest = 0;
  for (const double each : reciprocal_) longest = std::max(longest, each);
  const int exponent = scale_exponent(longest);
  scale_ = std::ldexp(1.0, exponent);
  const double unit = std::ldexp(1.0, -exponent);
  for (double& each : reciprocal_) each = reciprocal_length(each, unit);
}

std::int64_t ExactScores::largest_sum(const QueryFactors& query) const {
  // No document's length reaches 2^62 units. A sum exceeds the length only by rounding: by half a
  // unit per term, and by a relative 2^-22, which is far more than the error of a length.
  constexpr double kLongest = 0x1p62 + 0x1p40;
  double sum = 0;
  for (const auto& [term, factor] : query.entries())
    if (peak_count_[term] > 0) sum += factor * peak_tf_[peak_count_[term]] + 1;
  const double rounding = static_cast<double>(query.entries().size());
  return static_cast<std::int64_t>(std::min(sum * (1 + 0x1p-20), kLongest + rounding));
}

void ExactScores::prefetch(std::uint32_t place) const {
  const MirrorRows::RowEntries entries = mirror_[place];
  for (std::size_t i = 0; i < entries.size; i += 16) __builtin_prefetch(entries.column + i);
  for (std::size_t i = 0; i < entries.size; i += 32) __builtin_prefetch(entries.count + i);
}

float ExactScores::score(std::uint32_t place, const QueryFactors& query) const {
  const MirrorRows::RowEntries entries = mirror_[place];
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < entries.size; ++i) {
    const double factor = query.find(entries.column[i]);
    if (factor != 0) sum += contribution(factor, weighting_.tf[entries.count[i]]);
  }
  return similarity(sum, reciprocal_[place]);
}

std::size_t ExactScores::bytes() const {
  return reciprocal_.capacity() * sizeof(double) + peak_tf_.capacity() * sizeof(double) +
         peak_count_.capacity() * sizeof(std::uint16_t) + mirror_.bytes();
}

}  // namespace kindred::cpu
