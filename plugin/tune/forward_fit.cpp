#include "plugin/tune/forward_fit.h"

#include <algorithm>
#include <cmath>

#include "plugin/tune/combiner_fit.h"
#include "plugin/tune/thresholds.h"

namespace kindred {
namespace {

constexpr double kLeastGain = 0.01;         // nats: the cost of saying 0.94 where 0.9 is true
constexpr double kLeastProbability = 1e-7;  // about the smallest step of a float just below 1

bool is_clear(double difference, double variance) { return difference > 2 * std::sqrt(variance); }

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

/// True if the known blend is worse on the later half of the documents than it is after it was
/// calibrated by the earlier half.
bool pays(const Combiner& known, const TrueLabels& truth, std::span<const float> features,
          std::size_t threads) {
  const std::size_t half = truth.documents / 2;
  const std::vector<double> before = losses_of(known, features, truth, threads);
  const std::vector<double> after =
      losses_of(recalibrated(known, truth, half, features, threads), features, truth, threads);
  double sum = 0, squares = 0;
  for (std::size_t d = half; d < truth.documents; ++d) {
    sum += before[d] - after[d];
    squares += (before[d] - after[d]) * (before[d] - after[d]);
  }
  const auto n = static_cast<double>(truth.documents - half);
  const double mean = sum / n;
  return mean >= kLeastGain && is_clear(mean, std::max(squares / n - mean * mean, 0.0) / n);
}

}  // namespace

ForwardFit fit_forward(const Combiner& known, const TrueLabels& truth,
                       std::span<const float> features, double accuracy, std::uint64_t documents,
                       std::size_t threads) {
  ForwardFit fit;
  if (pays(known, truth, features, threads))
    fit.combiner = recalibrated(known, truth, truth.documents, features, threads);
  const double later =
      measure_best(combined_scores(known, features, truth, threads), truth).accuracy;
  const double variance = later * (1 - later) / static_cast<double>(truth.documents) +
                          accuracy * (1 - accuracy) / static_cast<double>(documents);
  if (is_clear(accuracy - later, variance)) fit.drift = accuracy - later;
  return fit;
}

}  // namespace kindred
