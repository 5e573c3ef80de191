#include "plugin/tune/tune.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "config/error.h"
#include "plugin/tune/combiner_fit.h"
#include "plugin/tune/cross_fit.h"
#include "plugin/tune/drift.h"
#include "plugin/tune/parts.h"
#include "plugin/tune/thresholds.h"
#include "plugin/tune/true_labels.h"
#include "plugin/votes/label_weights.h"

namespace kindred {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kClassified = 4000;  // of kDefault documents
constexpr std::size_t kLearning = 12000;   // of kDefault documents
constexpr std::uint64_t kDefault = TuneRequest{}.documents;
constexpr std::size_t kFewestForLinear = 200;             // fewer do not bear more coefficients
constexpr std::size_t kFewestLater = 100;                 // fewer tell little
constexpr std::size_t kMostPairs = std::size_t{1} << 23;  // (document, label) pairs in memory

using Groups = std::span<const std::vector<Xapian::docid>>;

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

/// The labels of the parts' rows, one part after the other; a part is a fold.
TrueLabels true_labels(const Mirror& mirror, std::span<const Part> parts) {
  TrueLabels truth;
  truth.labels = mirror.labels.names.size();
  truth.folds = parts.size();
  for (std::size_t fold = 0; fold < parts.size(); ++fold)
    for (const std::uint32_t row : parts[fold].rows)
      truth.add(mirror.labels.of(row), static_cast<std::uint8_t>(fold));
  return truth;
}

/// Fits one blend, and what goes with it.
class BlendTuning {
 public:
  /// Borrows all.
  BlendTuning(const Snapshot& snapshot, const RowSet& voters, Groups groups,
              const TuneRequest& request, const OnTuning& on_tuning)
      : snapshot_(snapshot),
        voters_(voters),
        request_(request),
        on_tuning_(on_tuning),
        parts_(deal(voters, std::min<std::size_t>(kFolds, voters.count()), classified(),
                    request.seed)),
        truth_(true_labels(snapshot.mirror(), parts_)),
        fit_(snapshot, scaled(kLearning, request), truth_.documents >= kFewestForLinear,
             [this](std::uint64_t documents) { tell(documents); }) {
    DriftMeasure drift(snapshot.mirror(), voters);
    keep_companions_apart(snapshot, voters, groups, parts_, drift);
    report_.drift = drift.loss();
  }

  TuneReport run() {
    begin("leave-one-out");
    features_ = fit_.features_of(parts_);
    const FittedCombiner fitted = fit_combiner(truth_, features_, threads());
    tuning().combiner = fitted.combiner;
    tuning().scores.log_loss = fitted.log_loss;
    tuning().scores.documents = truth_.documents;
    const BestLabels best = measure_best(scores(), truth_);
    tuning().scores.accuracy = best.accuracy;
    tuning().scores.calibration_error = best.calibration_error;
    fit_forward();
    cut();
    keep_weights();
    return std::move(report_);
  }

 private:
  Tuning& tuning() { return report_.tuning; }
  std::size_t threads() const { return snapshot_.voting().threads(); }

  /// How many documents are classified.
  std::size_t classified() const {
    const std::size_t labels = snapshot_.mirror().labels.names.size();
    return std::min(scaled(kClassified, request_), std::max<std::size_t>(2, kMostPairs / labels));
  }

  void begin(const std::string& doing) {
    doing_ = doing;
    done_ = 0;
  }

  void tell(std::uint64_t documents) {
    if (on_tuning_) on_tuning_(doing_, done_ += documents);
  }

  std::vector<float> scores() const {
    return combined_scores(report_.tuning.combiner, features_, truth_, threads());
  }

  void fit_forward() {
    begin("the latest documents by the earlier ones");
    const Part part =
        latest(snapshot_.mirror(), voters_, truth_.documents / parts_.size(), request_.seed);
    if (part.rows.size() < kFewestLater) return;
    const TrueLabels truth = true_labels(snapshot_.mirror(), {&part, 1});
    const auto forward =
        kindred::fit_forward(tuning().combiner, truth, fit_.features_of({&part, 1}), threads());
    if (!forward) return;
    tuning().forward_documents = truth.documents;
    tuning().combiner = *forward;
  }

  void cut() {
    const LabelCuts cuts = cut_labels(scores(), truth_);
    tuning().single_label = truth_.single_label();
    tuning().max_labels = truth_.most_labels();
    tuning().scores.micro_f1 = cuts.micro_f1;
    tuning().scores.macro_f1 = cuts.macro_f1;
    for (std::uint32_t label = 0; label < truth_.labels; ++label)
      tuning().thresholds[std::string(snapshot_.mirror().labels.names[label])] =
          cuts.thresholds[label];
  }

  /// Learns from all voters.
  void keep_weights() {
    begin("weights of all documents");
    const Taught taught = fit_.learn(voters_);
    tuning().weights =
        std::make_shared<const FrozenWeights>(snapshot_.mirror().vocabulary, taught.weights);
    if (taught.classifiers == nullptr) return;
    tuning().classifiers = std::make_shared<const LinearClassifiers>(
        taught.classifiers->with_growth(fit_.growth(taught, parts_, features_)));
  }

  const Snapshot& snapshot_;
  const RowSet& voters_;
  const TuneRequest& request_;
  const OnTuning& on_tuning_;
  std::vector<Part> parts_;
  const TrueLabels truth_;
  const CrossFit fit_;
  std::vector<float> features_;  // of the rows of parts_
  TuneReport report_;
  std::string doing_;
  std::uint64_t done_ = 0;
};

}  // namespace

double expected_accuracy(const TuneReport& report) {
  return std::max(report.tuning.scores.accuracy - report.drift, 0.0);
}

TuneReport tune(const Snapshot& snapshot, const Settings& settings, const RowSet& voters,
                Groups groups, const TuneRequest& request, const OnTuning& on_tuning) {
  const Mirror& mirror = snapshot.mirror();
  const std::size_t count = voters.count();
  check(request, count);
  TuneReport report;
  if (mirror.rows() <= request.documents) {
    report = BlendTuning(snapshot, voters, groups, request, on_tuning).run();
  } else {
    const std::vector<std::uint32_t> rows =
        drawn(voters.to_vector(), looked_at(request, count), request.seed);
    const Snapshot sample(mirror_sample(mirror, rows), settings);
    report = BlendTuning(sample, sample.mirror().labeled, groups, request, on_tuning).run();
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
