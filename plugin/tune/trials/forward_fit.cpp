#include "plugin/tune/trials/forward_fit.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "plugin/tune/combiner/recalibration.h"
#include "plugin/tune/trials/trial_scoring.h"
#include "plugin/tune/trials/trial_votes.h"

namespace kindred {
namespace {

constexpr double kLatest = 0.2;         // share of the documents that count as the latest
constexpr std::size_t kFewest = 200;    // of the latest documents, after a sample was drawn
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

CombinerExamples examples_of(const TrialTruth& truth, std::span<const float> features,
                             std::size_t documents) {
  return {documents, truth.labels, features.first(documents * truth.labels * kLabelFeatures),
          truth.begin, std::span(truth.label).first(truth.begin[documents])};
}

/// Compares a known blend with itself as it is calibrated by the earlier half of some documents: by
/// how much its log loss is then lower on the later half.
struct Gain {
  double mean = 0;      ///< of a document's log loss
  double variance = 0;  ///< of that mean
  Combiner combiner;    ///< calibrated by both halves
};

bool is_clear(double gain, double variance) { return gain > kStandardErrors * std::sqrt(variance); }

Gain measure_gain(const Combiner& known, std::span<const float> features, const TrialTruth& truth,
                  std::size_t threads) {
  const std::size_t half = truth.documents / 2;
  const auto fit = [&](std::size_t documents) {
    return recalibrated(known, examples_of(truth, features, documents), threads);
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

/// The gain on rows that were classified.
Gain gain_on(const Snapshot& snapshot, const FoldedRows& rows, const TaggingMethod& method,
             const Combiner& known, const LeaveOneOut& classified) {
  const std::size_t threads = snapshot.voting().threads();
  const TrialTruth truth = truth_of(snapshot.mirror(), rows);
  return measure_gain(
      known, trial_features(method, classified, snapshot.mirror().labels.view(), truth, threads),
      truth, threads);
}

/// The documents of the first fold, to be classified by those of the other folds only.
FoldedRows first_fold(const FoldedRows& dealt) {
  FoldedRows rows;
  for (std::size_t i = 0; i < dealt.rows.size(); ++i) {
    if (dealt.fold[i] == 0) rows.rows.push_back(dealt.rows[i]);
  }
  rows.fold.assign(rows.rows.size(), 0);
  rows.voters = dealt.without.front();
  rows.voting = rows.without = {rows.voters};
  return rows;
}

}  // namespace

std::optional<ForwardRows> forward_rows(const Mirror& mirror, const FoldedRows& dealt,
                                        std::uint64_t seed) {
  ForwardRows rows{{}, first_fold(dealt)};
  rows.latest = deal_latest(dealt.voters, kLatest, seed,
                            std::max<std::size_t>(1, rows.by_chance.rows.size()));
  if (rows.latest.rows.size() < kFewest || is_sorted_by_label(mirror, dealt.voters, seed) ||
      overlap(mirror, dealt.voters, rows.latest.voters) < kLeastOverlap)
    return std::nullopt;
  return rows;
}

LeaveOneOut classify_forward(const Snapshot& snapshot, const FoldedRows& rows,
                             const TaggingMethod& method, bool linear,
                             const CrossFitOptions& options, const CrossFit::Tick& tick) {
  const CrossFit fit(snapshot, rows, options, tick);
  LeaveOneOut found = fit.run(method.term_weights, static_cast<std::size_t>(method.k));
  if (linear) found.linear = fit.run_linear(found);
  return found;
}

std::optional<ForwardFit> fit_forward(const Snapshot& snapshot, const ForwardRows& rows,
                                      const TaggingMethod& method, const Combiner& known,
                                      const LeaveOneOut& latest,
                                      const std::function<LeaveOneOut()>& by_chance) {
  const Gain forward = gain_on(snapshot, rows.latest, method, known, latest);
  if (forward.mean < kLeastGain || !is_clear(forward.mean, forward.variance)) return {};
  const Gain chance = gain_on(snapshot, rows.by_chance, method, known, by_chance());
  if (!is_clear(forward.mean - chance.mean, forward.variance + chance.variance)) return {};
  return ForwardFit{forward.combiner, rows.latest.rows.size()};
}

}  // namespace kindred
