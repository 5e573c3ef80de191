#include "plugin/tune/forward_fit.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "plugin/tune/blend_scores.h"
#include "plugin/tune/calibration_fit.h"

namespace kindred {
namespace {

constexpr double kLatest = 0.1;         // share of the documents that count as the latest
constexpr std::size_t kFewest = 100;    // of the latest documents, after a sample was drawn
constexpr double kLeastOverlap = 0.25;  // of the labels' shares
constexpr double kMostAlike = 1.0 / 3;  // of neighbors, beyond what chance makes alike
constexpr std::size_t kPairs = 20000;   // drawn at random, to see what chance makes alike
constexpr double kLeastGain = 0.01;     // nats: the cost of saying 0.94 where 0.9 is true
constexpr double kStandardErrors = 2;   // by which the loss has to fall

/// The share of each label in all labels of some documents.
std::vector<double> label_shares(const Mirror& mirror, const RowSet& rows) {
  std::vector<double> shares(mirror.labels.names.size(), 0);
  double total = 0;
  rows.for_each([&](std::uint32_t row) {
    for (const std::uint32_t label : mirror.labels.of(row)) {
      ++shares[label];
      ++total;
    }
  });
  for (double& share : shares) share /= std::max(1.0, total);
  return shares;
}

/// How much of the labels' shares `earlier` and the rest of `all` have in common, from 0 to 1.
double overlap(const Mirror& mirror, const RowSet& all, const RowSet& earlier) {
  RowSet later = all;
  later -= earlier;
  const std::vector<double> a = label_shares(mirror, earlier), b = label_shares(mirror, later);
  double common = 0;
  for (std::size_t label = 0; label < a.size(); ++label) common += std::min(a[label], b[label]);
  return common;
}

bool share_label(const Mirror& mirror, std::uint32_t a, std::uint32_t b) {
  const auto own = mirror.labels.of(a), other = mirror.labels.of(b);
  return std::find_first_of(own.begin(), own.end(), other.begin(), other.end()) != own.end();
}

/// True if documents lie beside others of their label, as in a collection that is sorted by it.
bool is_sorted_by_label(const Mirror& mirror, const RowSet& voters, std::uint64_t seed) {
  const std::vector<std::uint32_t> rows = voters.to_vector();
  std::mt19937_64 random(seed);
  double beside = 0, by_chance = 0;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i)
    beside += share_label(mirror, rows[i], rows[i + 1]) ? 1 : 0;
  for (std::size_t i = 0; i < kPairs; ++i) {
    const std::uint32_t a = rows[random() % rows.size()], b = rows[random() % rows.size()];
    by_chance += share_label(mirror, a, b) ? 1 : 0;
  }
  beside /= static_cast<double>(rows.size() - 1);
  by_chance /= kPairs;
  return beside - by_chance > kMostAlike * (1 - by_chance);
}

/// Compares a known blend with itself as it is calibrated by the earlier half of some documents: by
/// how much its log loss is then lower on the later half.
struct Gain {
  double mean = 0;      ///< of a document's log loss
  double variance = 0;  ///< of that mean
  Combiner combiner;    ///< calibrated by both halves
};

bool is_clear(double gain, double variance) { return gain > kStandardErrors * std::sqrt(variance); }

Gain measure_gain(const Combiner& known, std::span<const float> features, const TrueLabels& truth,
                  std::size_t threads) {
  const std::size_t half = truth.documents / 2;
  const auto fit = [&](std::size_t documents) {
    return recalibrated(known, truth.first(documents, features), threads);
  };
  const std::vector<double> before = combined_losses(known, features, truth, threads);
  const std::vector<double> after = combined_losses(fit(half), features, truth, threads);
  double sum = 0, squares = 0;
  for (std::size_t d = half; d < truth.documents; ++d) {
    sum += before[d] - after[d];
    squares += (before[d] - after[d]) * (before[d] - after[d]);
  }
  const auto n = static_cast<double>(truth.documents - half);
  const double mean = sum / n;
  return {mean, std::max(squares / n - mean * mean, 0.0) / n, fit(truth.documents)};
}

/// The gain on rows, as their voters classify them.
Gain gain_on(const Snapshot& snapshot, const FoldedRows& rows, const CrossFit& dealt,
             const Combiner& known, bool linear, const CrossFit::Tick& tick) {
  const CrossFit fit(snapshot, rows, dealt.options(), tick, dealt.postings());
  LeaveOneOut found = fit.run();
  if (linear) found.linear = fit.run_linear(found);
  const std::size_t threads = dealt.options().threads;
  const TrueLabels truth = true_labels(snapshot.mirror(), rows);
  return measure_gain(known, features_of(found, snapshot.mirror().labels.view(), truth, threads),
                      truth, threads);
}

}  // namespace

std::optional<ForwardFit> fit_forward(const Snapshot& snapshot, const FoldedRows& dealt,
                                      const CrossFit& fit, const Combiner& known, bool linear,
                                      std::uint64_t seed, const CrossFit::Tick& tick) {
  const Mirror& mirror = snapshot.mirror();
  const FoldedRows by_chance = first_fold(dealt);
  const FoldedRows latest =
      deal_latest(dealt.voters, kLatest, seed, std::max<std::size_t>(1, by_chance.rows.size()));
  if (latest.rows.size() < kFewest || is_sorted_by_label(mirror, dealt.voters, seed) ||
      overlap(mirror, dealt.voters, latest.voters) < kLeastOverlap)
    return {};
  const Gain forward = gain_on(snapshot, latest, fit, known, linear, tick);
  if (forward.mean < kLeastGain || !is_clear(forward.mean, forward.variance)) return {};
  const Gain chance = gain_on(snapshot, by_chance, fit, known, linear, tick);
  if (!is_clear(forward.mean - chance.mean, forward.variance + chance.variance)) return {};
  return ForwardFit{forward.combiner, latest.rows.size()};
}

}  // namespace kindred
