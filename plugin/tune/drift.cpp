#include "plugin/tune/drift.h"

#include <algorithm>
#include <cmath>

namespace kindred {
namespace {

constexpr double kEarlier = 0.5;            // the ages of those that come first
constexpr std::uint32_t kSamples = 8;       // of every second voter, whose mean is taken
constexpr double kLeastGain = 0.01;         // nats: the cost of saying 0.94 where 0.9 is true
constexpr double kLeastProbability = 1e-7;  // about the smallest step of a float just below 1

/// True for every second row, others in each sample.
bool is_drawn(std::uint32_t row, std::uint32_t sample) {
  const std::uint32_t mixed = row * 2654435761U;  // Knuth's multiplicative hash
  return ((mixed >> (20 + sample / 2)) & 1U) == sample % 2;
}

/// The log loss of each document.
std::vector<double> losses_of(const Combiner& combiner, std::span<const float> features,
                              const TrueLabels& truth, std::size_t threads) {
  const std::vector<float> scores = combined_scores(combiner, features, truth, threads);
  std::vector<double> losses(truth.documents, 0);
  for (std::size_t d = 0; d < truth.documents; ++d) {
    for (std::size_t label = 0; label < truth.labels; ++label) {
      const bool is_true = truth.has(d, label);
      if (!is_true && combiner.single_label) continue;
      const double p = scores[d * truth.labels + label];
      losses[d] -= std::log(std::max(is_true ? p : 1 - p, kLeastProbability));
    }
  }
  return losses;
}

}  // namespace

void ClearMean::add(double of_document) {
  ++documents_;
  sum_ += of_document;
  squares_ += of_document * of_document;
}

double ClearMean::value() const {
  if (documents_ < 2) return 0;
  const double mean = sum_ / documents_;
  const double variance = std::max(squares_ / documents_ - mean * mean, 0.0) / documents_;
  return mean > 2 * std::sqrt(variance) ? mean : 0;
}

DriftMeasure::DriftMeasure(const Mirror& mirror, const RowSet& voters)
    : mirror_(mirror), age_(voters.rows(), 0), votes_(mirror.labels.names.size(), 0) {
  std::vector<double> count(votes_.size(), 0), before(votes_.size(), 0);
  voters.for_each([&](std::uint32_t row) {
    for (const std::uint32_t label : mirror.labels.of(row)) ++count[label];
  });
  voters.for_each([&](std::uint32_t row) {
    const auto own = mirror.labels.of(row);
    for (const std::uint32_t label : own) age_[row] += before[label]++ / count[label];
    age_[row] /= static_cast<double>(own.size());
  });
}

void DriftMeasure::add(std::uint32_t row, std::span<const Neighbor> nearest) {
  if (age_[row] < kEarlier) return;
  const auto is_right = [&](auto&& may_vote) {
    std::uint32_t best = 0;
    for (const Neighbor& neighbor : nearest) {
      if (!may_vote(neighbor.row)) continue;
      for (const std::uint32_t label : mirror_.labels.of(neighbor.row)) {
        votes_[label] += neighbor.similarity;
        if (votes_[label] > votes_[best]) best = label;
      }
    }
    const bool voted = votes_[best] > 0;
    std::ranges::fill(votes_, 0);
    return voted && std::ranges::binary_search(mirror_.labels.of(row), best);
  };
  double loss = is_right([&](std::uint32_t other) { return age_[other] < kEarlier; }) ? -1 : 0;
  for (std::uint32_t sample = 0; sample < kSamples; ++sample)
    if (is_right([&](std::uint32_t other) { return is_drawn(other, sample); }))
      loss += 1.0 / kSamples;
  loss_.add(loss);
}

std::optional<Combiner> fit_forward(const Combiner& known, const TrueLabels& truth,
                                    std::span<const float> features, std::size_t threads) {
  const std::size_t half = truth.documents / 2;
  const std::vector<double> before = losses_of(known, features, truth, threads);
  const std::vector<double> after =
      losses_of(recalibrated(known, truth, half, features, threads), features, truth, threads);
  ClearMean gain;
  for (std::size_t d = half; d < truth.documents; ++d) gain.add(before[d] - after[d]);
  if (gain.value() < kLeastGain) return {};
  return recalibrated(known, truth, truth.documents, features, threads);
}

}  // namespace kindred
