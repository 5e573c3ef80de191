#include "plugin/tune/tune.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <string>

#include "config/error.h"
#include "config/shown.h"
#include "plugin/tune/combiner_fit.h"
#include "plugin/tune/cross_fit.h"
#include "plugin/tune/parts.h"
#include "plugin/tune/thresholds.h"
#include "plugin/votes/label_weights.h"

namespace kindred {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kClassified = 4000;  // of kDefault documents
constexpr std::size_t kLearning = 12000;   // of kDefault documents
const std::uint64_t kDefault = TuneRequest{}.documents;
constexpr std::size_t kFewestForLinear = 200;  // fewer do not bear more coefficients
constexpr std::size_t kFewestLater = 100;      // fewer tell little
constexpr double kMostDrift = 0.1;             // more is as much the chance of what came when
constexpr std::size_t kMostPairs = std::size_t{1} << 23;  // (document, label) pairs in memory

using Groups = std::span<const std::vector<Xapian::docid>>;

void check(const TuneRequest& request, std::size_t documents) {
  if (request.documents < 2) throw Error(Errc::kInvalidArgument, "documents: expected at least 2");
  if (documents < kFewestVoters)
    throw Error(Errc::kInvalidArgument,
                (request.filter.empty() ? "" : "filter '" + shortened(request.filter) + "': ") +
                    "tuning needs at least two labeled documents, found " +
                    std::to_string(documents));
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

/// The labels of the parts' documents, one part after the other; a part is a fold.
TrueLabels true_labels(const Mirror& mirror, std::span<const Part> parts) {
  TrueLabels truth;
  truth.labels = mirror.labels.names.size();
  truth.folds = parts.size();
  for (std::size_t fold = 0; fold < parts.size(); ++fold)
    for (const Xapian::docid docid : parts[fold].docids)
      truth.add(mirror.labels_of(docid), static_cast<std::uint8_t>(fold));
  return truth;
}

/// Every second of the documents, in the order of their docids, of each label; the first one stays.
DocumentSet every_second(const DocumentSet& documents) {
  DocumentSet half = documents;
  std::map<std::uint32_t, bool> leaves;
  for (const Xapian::docid docid : documents.numbers()) {
    bool& now = leaves[documents.mirror().labels_of(docid).front()];
    if (now) half.erase(docid);
    now = !now;
  }
  return half;
}

/// How many documents a label has, in the mean over the labels.
double documents_of_a_label(const Mirror& mirror, const DocumentSet& voters) {
  std::vector<double> count(mirror.labels.names.size(), 0);
  for (const Xapian::docid docid : voters.numbers())
    for (const std::uint32_t label : mirror.labels_of(docid)) ++count[label];
  const auto labels = std::ranges::count_if(count, [](double own) { return own > 0; });
  return std::accumulate(count.begin(), count.end(), 0.0) / static_cast<double>(labels);
}

/// Splits documents of a snapshot into parts that classify each other.
class PartsOf {
 public:
  PartsOf(const Snapshot& snapshot, const DocumentSet& voters, Groups groups, std::uint64_t seed)
      : snapshot_(snapshot),
        groups_(groups),
        seed_(seed),
        alike_(label_likeness(snapshot, voters, kClassified, seed)) {}

  std::vector<Part> operator()(const DocumentSet& voters, std::size_t sample,
                               DriftMeasure& drift) const {
    const std::size_t folds = std::min<std::size_t>(kFolds, voters.count());
    std::vector<Part> parts = split_voters(voters, folds, sample, seed_);
    prevent_leakage(snapshot_, alike_, groups_, parts, drift);
    draw_counterparts(voters, snapshot_.mirror().labels.names.size(), parts);
    return parts;
  }

  const Snapshot& snapshot() const { return snapshot_; }

 private:
  const Snapshot& snapshot_;
  const Groups groups_;
  const std::uint64_t seed_;
  const double alike_;
};

/// By how much the accuracy of later documents will be higher than what was measured, since all
/// documents of a label speak for it then. Errors fall as a power of the number of documents that
/// speak. The power is found by measuring with every second document, too.
double gain_of_more(const PartsOf& parts_of, const CrossFit& fit, const DocumentSet& voters,
                    const Tuning& tuning) {
  constexpr std::size_t kEnough = 800;  // documents
  constexpr double kFewest = 0.25, kMostPower = 1;
  const Mirror& mirror = parts_of.snapshot().mirror();
  // Where a document is classified, a fifth of what classifies it was not learned from.
  const double each = documents_of_a_label(mirror, voters);
  const bool in_folds = tuning.scores.documents >= kFewestForLinear;
  const auto speaking = [&](double documents) {
    return std::max(std::min(documents - 1, (in_folds ? 0.8 : 1) * documents), kFewest);
  };
  const double errors = 1 - tuning.scores.accuracy;
  const DocumentSet half = every_second(voters);
  const bool is_less = speaking(each) > speaking(each / 2) && half.count() >= kFolds;
  if (!(errors > 0) || !is_less) return 0;

  DriftMeasure ignored(mirror, voters);
  std::vector<Part> parts = parts_of(half, voters.count(), ignored);
  std::size_t count = 0;
  const auto enough = std::ranges::find_if(parts, [&](const Part& part) {
    count += part.docids.size();
    return count >= kEnough;
  });
  if (enough != parts.end()) parts.erase(enough + 1, parts.end());
  const TrueLabels truth = true_labels(mirror, parts);
  const std::vector<float> scores = combined_scores({&tuning.combiner, 1}, fit.features_of(parts),
                                                    truth, parts_of.snapshot().voting().threads());
  TuningScores of_half;
  measure_best(scores, truth, of_half);
  const double power = std::clamp(
      std::log((1 - of_half.accuracy) / errors) / std::log(speaking(each) / speaking(each / 2)),
      0.0, kMostPower);
  return errors * (1 - std::pow(speaking(each) / each, power));
}

/// Fits one blend, and what goes with it.
TuneReport fit_blend(const Snapshot& snapshot, const DocumentSet& voters, Groups groups,
                     const TuneRequest& request, const OnTuning& on_tuning) {
  const Mirror& mirror = snapshot.mirror();
  const std::size_t threads = snapshot.voting().threads();
  TuneReport report;
  Tuning& tuning = report.tuning;
  const std::size_t classified =
      std::min(scaled(kClassified, request),
               std::max<std::size_t>(2, kMostPairs / mirror.labels.names.size()));
  const PartsOf parts_of(snapshot, voters, groups, request.seed);
  DriftMeasure drift(mirror, voters);
  const std::vector<Part> parts = parts_of(voters, classified, drift);
  report.drift = std::min(drift.loss(), kMostDrift);
  const TrueLabels truth = true_labels(mirror, parts);
  std::string doing;
  std::uint64_t done = 0;
  const auto begin = [&](const std::string& what) {
    doing = what;
    done = 0;
  };
  const Pulse pulse = on_tuning ? Pulse([&] { on_tuning(doing, done); }) : Pulse();
  const CrossFit fit(
      snapshot, scaled(kLearning, request), truth.documents >= kFewestForLinear,
      [&](std::uint64_t documents) {
        if (on_tuning) on_tuning(doing, done += documents);
      },
      pulse);
  begin("leave-one-out");
  const std::vector<float> features = fit.features_of(parts);
  const FittedCombiner fitted = fit_combiner(truth, features, threads);
  tuning.combiner = fitted.combiner;
  tuning.scores.log_loss = fitted.log_loss;
  tuning.scores.documents = truth.documents;
  measure_best(combined_scores(fitted.without_fold, features, truth, threads), truth,
               tuning.scores);
  if (voters.count() < 2 * classified) {  // else a half teaches already
    begin("half of the documents");
    report.gain = gain_of_more(parts_of, fit, voters, tuning);
  }
  begin("the latest documents by the earlier ones");
  const Part later = latest(mirror, voters, truth.documents / parts.size(), request.seed);
  if (later.docids.size() >= kFewestLater) {
    const TrueLabels later_truth = true_labels(mirror, {&later, 1});
    if (const auto forward =
            fit_forward(tuning.combiner, later_truth, fit.features_of({&later, 1}), threads)) {
      tuning.forward_documents = later_truth.documents;
      tuning.combiner = *forward;
    }
  }
  const LabelCuts cuts =
      cut_labels(combined_scores({&tuning.combiner, 1}, features, truth, threads), truth);
  tuning.scores.micro_f1 = cuts.micro_f1;
  tuning.scores.macro_f1 = cuts.macro_f1;
  tuning.single_label = truth.single_label();
  tuning.max_labels = truth.most_labels();
  for (std::uint32_t label = 0; label < truth.labels; ++label)
    tuning.thresholds[std::string(mirror.labels.names[label])] = cuts.thresholds[label];
  begin("weights of all documents");
  const Taught taught = fit.learn(voters);
  tuning.classifiers = taught.classifiers;
  tuning.weights = std::make_shared<const FrozenWeights>(mirror.vocabulary, taught.weighting.idf);
  if (taught.classifiers)
    taught.classifiers->left_out = fit.left_out_factors(taught, parts, features);
  return report;
}

}  // namespace

double expected_accuracy(const TuneReport& report) {
  return std::max(report.tuning.scores.accuracy + report.gain - report.drift, 0.0);
}

TuneReport tune(const Snapshot& snapshot, const Settings& settings, const DocumentSet& voters,
                Groups groups, const TuneRequest& request, const OnTuning& on_tuning) {
  const Mirror& mirror = snapshot.mirror();
  const std::size_t count = voters.count();
  check(request, count);
  const bool whole = mirror.documents() <= request.documents;
  const std::vector<Xapian::docid> docids =
      whole ? mirror.list->numbers()
            : drawn(voters.numbers(), looked_at(request, count), request.seed);
  // A copy also of the whole: fits take terms and labels by number, and its numbers follow names.
  const Snapshot sample(mirror_sample(mirror, docids), settings);
  DocumentSet sampled(sample.mirror().list);
  for (const Xapian::docid docid : voters.numbers()) sampled.insert(docid);
  TuneReport report = fit_blend(sample, sampled, groups, request, on_tuning);
  report.tuning.voters = count;
  report.tuning.uuid = mirror.uuid;
  report.tuning.revision = mirror.revision;
  report.tuning.smart = settings.weighting.smart;
  report.tuning.prefixes = mirror.prefixes;
  report.tuning.filter = request.filter;
  return report;
}

}  // namespace kindred
