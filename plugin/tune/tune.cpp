#include "plugin/tune/tune.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "config/error.h"
#include "plugin/mirror/mirror.h"
#include "plugin/tune/blend_scores.h"
#include "plugin/tune/cross_fit.h"
#include "plugin/tune/drift.h"
#include "plugin/tune/forward_fit.h"
#include "plugin/tune/parts.h"
#include "plugin/tune/thresholds.h"
#include "plugin/votes/combiner.h"
#include "plugin/votes/weights/frozen_weights.h"

namespace kindred {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kClassified = 4000;  // of kDefault documents
constexpr std::size_t kLearning = 12000;   // of kDefault documents
constexpr std::uint64_t kDefault = TuneRequest{}.documents;
constexpr std::size_t kFewestForLinear = 200;             // fewer do not bear more coefficients
constexpr std::size_t kMostPairs = std::size_t{1} << 23;  // (document, label) pairs in memory

using Groups = std::vector<std::vector<std::uint32_t>>;

[[noreturn]] void refuse(const std::string& what) { throw Error(Errc::kInvalidArgument, what); }

void check(const TuneRequest& request, std::size_t documents) {
  if (request.documents < 2) refuse("documents: expected at least 2");
  if (documents >= 2) return;
  refuse(request.filter.empty()
             ? "tuning needs at least two labeled documents, found " + std::to_string(documents)
             : "filter '" + request.filter + "': tuning needs at least two labeled documents, " +
                   std::to_string(documents) + " match");
}

/// How many of the voters are looked at: request.documents, and a quarter more for each doubling
/// beyond.
std::size_t looked_at(const TuneRequest& request, std::size_t voters) {
  constexpr double kForDoubling = 0.25;
  const auto most = static_cast<double>(request.documents);
  const double doublings = std::log2(std::max(1.0, static_cast<double>(voters) / most));
  return static_cast<std::size_t>(most * (1 + kForDoubling * doublings));
}

/// `of_default`, and more if the request asks for more documents than by default.
std::size_t scaled(std::size_t of_default, const TuneRequest& request) {
  return of_default * std::max(request.documents, kDefault) / kDefault;
}

/// Those of the groups' rows that are among some rows, by their places there.
Groups groups_among(std::span<const std::uint32_t> rows,
                    std::span<const std::vector<std::uint32_t>> groups) {
  Groups result;
  for (const std::vector<std::uint32_t>& group : groups) {
    result.emplace_back();
    for (const std::uint32_t row : group) {
      const auto place = std::ranges::lower_bound(rows, row);
      if (place != rows.end() && *place == row)
        result.back().push_back(static_cast<std::uint32_t>(place - rows.begin()));
    }
  }
  return result;
}

/// Fits one blend, and what goes with it.
class BlendTuning {
 public:
  /// Borrows all.
  BlendTuning(const Snapshot& snapshot, const FoldedRows& rows, const TuneRequest& request,
              const OnTuning& on_tuning)
      : snapshot_(snapshot),
        rows_(rows),
        request_(request),
        on_tuning_(on_tuning),
        threads_(snapshot.voting().threads()),
        truth_(true_labels(snapshot.mirror(), rows)),
        fit_(snapshot, rows, {scaled(kLearning, request), threads_},
             [this](std::uint64_t documents) { tell(documents); }) {}

  Tuning run() {
    fit_blend();
    fit_forward();
    measure();
    keep_weights();
    return std::move(tuning_);
  }

 private:
  void begin(const std::string& doing) {
    doing_ = doing;
    done_ = 0;
  }

  void tell(std::uint64_t documents) {
    if (on_tuning_) on_tuning_(doing_, done_ += documents);
  }

  FittedCombiner fitted(std::span<const float> features) const {
    return fit_combiner(truth_.single_label(), truth_.first(truth_.documents, features), threads_);
  }

  void fit_blend() {
    begin("leave-one-out");
    const LeaveOneOut known = fit_.run();
    features_ = features_of(known, snapshot_.mirror().labels.view(), truth_, threads_);
    FittedCombiner best = fitted(features_);
    if (truth_.documents >= kFewestForLinear) {
      begin("linear classifiers");
      const std::vector<float> linear = fit_.run_linear(known);
      std::vector<float> features = features_;
      for (std::size_t i = 0; i < linear.size(); ++i)
        features[i * kLabelFeatures + LabelFeature::kLinear] = linear[i];
      FittedCombiner with_linear = fitted(features);
      if (with_linear.plain_loss < best.plain_loss) {
        best = std::move(with_linear);
        features_ = std::move(features);
        linear_ = true;
      }
    }
    tuning_.combiner = best.combiner;
    tuning_.scores.log_loss = best.log_loss;
  }

  void fit_forward() {
    begin("the latest documents by the earlier ones");
    const auto scores = combined_scores(tuning_.combiner, features_, truth_, threads_);
    tuning_.scores.calibration_error = calibration_error_of(scores, truth_);
    const auto forward =
        kindred::fit_forward(snapshot_, rows_, fit_, tuning_.combiner, linear_, request_.seed,
                             [this](std::uint64_t documents) { tell(documents); });
    if (!forward) return;
    tuning_.forward_documents = forward->documents;
    tuning_.combiner = forward->combiner;
  }

  void measure() {
    const auto scores = combined_scores(tuning_.combiner, features_, truth_, threads_);
    const LabelCuts cuts = cut_labels(scores, truth_);
    tuning_.single_label = truth_.single_label();
    tuning_.max_labels = truth_.most_labels();
    tuning_.scores.documents = truth_.documents;
    tuning_.scores.micro_f1 = cuts.micro_f1;
    tuning_.scores.macro_f1 = cuts.macro_f1;
    tuning_.scores.accuracy = accuracy_of(scores, truth_);
    for (std::uint32_t label = 0; label < truth_.labels; ++label)
      tuning_.thresholds[std::string(snapshot_.mirror().labels.names[label])] =
          cuts.thresholds[label];
  }

  /// Learns from all voters.
  void keep_weights() {
    begin("weights of all documents");
    const Mirror& mirror = snapshot_.mirror();
    const std::vector<double> weights = fit_.fit(rows_.voters);
    tuning_.weights = std::make_shared<const FrozenWeights>(mirror.vocabulary, weights);
    if (!linear_) return;
    const auto learned = fit_.learn_linear(weights, rows_.voters);
    std::vector<float> left_out(truth_.documents * truth_.labels);
    for (std::size_t i = 0; i < left_out.size(); ++i)
      left_out[i] = features_[i * kLabelFeatures + LabelFeature::kLinear];
    const LinearVotes votes(learned, mirror.vocabulary, mirror.labels.names);
    tuning_.classifiers = std::make_shared<const LinearClassifiers>(
        learned->with_growth(fit_.growth(weights, votes, left_out)));
  }

  const Snapshot& snapshot_;
  const FoldedRows& rows_;
  const TuneRequest& request_;
  const OnTuning& on_tuning_;
  const std::size_t threads_;
  const TrueLabels truth_;
  const CrossFit fit_;
  std::vector<float> features_;  // of the blend, by leave-one-out
  bool linear_ = false;          // among them are values of linear classifiers
  Tuning tuning_;
  std::string doing_;
  std::uint64_t done_ = 0;
};

TuneReport tune_on(const Snapshot& snapshot, const RowSet& voters, const Groups& groups,
                   const TuneRequest& request, const OnTuning& on_tuning) {
  const std::size_t labels = snapshot.mirror().labels.names.size();
  const std::size_t sample =
      std::min(scaled(kClassified, request), std::max<std::size_t>(2, kMostPairs / labels));
  FoldedRows rows =
      deal_rows(voters, std::min<std::size_t>(kFolds, voters.count()), request.seed, sample);
  DriftMeasure drift(snapshot.mirror(), voters);
  keep_apart(companions_of(snapshot, rows.rows, voters, drift), rows);
  keep_groups_apart(groups, rows);
  TuneReport report;
  report.tuning = BlendTuning(snapshot, rows, request, on_tuning).run();
  report.drift = drift.loss().value_or(0);
  return report;
}

}  // namespace

double expected_accuracy(const TuneReport& report) {
  return std::max(report.tuning.scores.accuracy - report.drift, 0.0);
}

TuneReport tune(const Snapshot& snapshot, const Settings& settings, const RowSet& voters,
                std::span<const std::vector<std::uint32_t>> groups, const TuneRequest& request,
                const OnTuning& on_tuning) {
  const Mirror& mirror = snapshot.mirror();
  const std::size_t count = voters.count();
  check(request, count);
  TuneReport report;
  if (mirror.rows() <= request.documents) {
    report = tune_on(snapshot, voters, {groups.begin(), groups.end()}, request, on_tuning);
  } else {
    const std::vector<std::uint32_t> rows =
        drawn(voters.to_vector(), looked_at(request, count), request.seed);
    const Snapshot sample(mirror_sample(mirror, rows), settings);
    report =
        tune_on(sample, sample.mirror().labeled, groups_among(rows, groups), request, on_tuning);
  }
  report.tuning.voters = count;
  report.tuning.uuid = mirror.uuid;
  report.tuning.revision = mirror.revision;
  report.tuning.smart = settings.weighting.smart;
  report.tuning.prefixes = mirror.prefixes;
  report.tuning.filter = request.filter;
  return report;
}

}  // namespace kindred
