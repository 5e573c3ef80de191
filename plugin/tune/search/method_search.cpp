#include "plugin/tune/search/method_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plugin/tune/combiner/combiner_fit.h"
#include "plugin/tune/search/method_trials.h"
#include "plugin/votes/label_features.h"
#include "plugin/votes/weights/frozen_weights.h"
#include "plugin/votes/weights/related_weights.h"

namespace kindred {
namespace {

constexpr std::size_t kMostTogether = std::size_t{1}
                                      << 30;   // bytes, of kinds that are tried together
constexpr std::size_t kFewestForLinear = 200;  // documents; fewer do not bear more coefficients

}  // namespace

MethodSearch::MethodSearch(const Snapshot& snapshot, const FoldedRows& rows,
                           const TuneRequest& request, std::shared_ptr<const CountsInOrders> counts,
                           const OnTuning& on_tuning)
    : snapshot_(snapshot),
      labels_(snapshot.mirror().labels.view()),
      request_(request),
      on_tuning_(on_tuning),
      truth_(truth_of(snapshot.mirror(), rows)),
      scoring_(truth_, threads()),
      rows_(rows),
      ticks_([this](std::uint64_t documents) { tell(documents); }),
      tasks_(snapshot, rows, request, std::move(counts), ticks_) {}

TuneReport MethodSearch::run() {
  for (const std::vector<TermWeightKind>& kinds : kinds_at_once()) try_weights(kinds);
  try_linear();
  finish();
  return std::move(report_);
}

std::vector<std::vector<TermWeightKind>> MethodSearch::kinds_at_once() const {
  const std::size_t bytes =
      truth_.documents * (static_cast<std::size_t>(kTriedNeighbors.back()) * sizeof(Neighbor) +
                          2 * truth_.labels * sizeof(float));
  std::vector<std::vector<TermWeightKind>> groups;
  for (const TermWeightKind kind : request_.term_weights) {
    const bool alone = bytes * request_.term_weights.size() > kMostTogether;
    if (alone || groups.empty()) groups.emplace_back();
    groups.back().push_back(kind);
  }
  return groups;
}

void MethodSearch::try_weights(std::vector<TermWeightKind> kinds) {
  std::string names;
  for (const TermWeightKind kind : kinds)
    names += (names.empty() ? "" : ", ") + std::string(term_weight_name(kind));
  begin("leave-one-out, term weights " + names);
  const auto k = static_cast<std::size_t>(kTriedNeighbors.back());
  std::vector<LeaveOneOut> known(kinds.size(), tasks_.fit().nothing_classified(k));
  std::size_t looked_at = 0;  // folds
  if (looks_first(kinds)) {
    tasks_.leave_one_out(kinds, k, {0, ++looked_at}, known);
    drop_those_behind(kinds, known);
  }
  tasks_.leave_one_out(kinds, k, {looked_at, tasks_.fit().folds()}, known);
  std::vector<MethodTrial> trials;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    add_trials(request_, kinds[i], known[i], truth_, trials);
  begin("methods, term weights " + names);
  const std::vector<MeasuredMethod> measured = tasks_.measure(trials);
  for (std::size_t i = 0; i < trials.size(); ++i) judge(trials[i].method, measured[i], i);
  complete(plain_, trials);
  if (complete(blend_, trials))
    blend_weights_ =
        known[static_cast<std::size_t>(
                  std::ranges::find(kinds, report_.trials[blend_place_].method.term_weights) -
                  kinds.begin())]
            .weights;
}

void MethodSearch::drop_those_behind(std::vector<TermWeightKind>& kinds,
                                     std::vector<LeaveOneOut>& known) {
  TrialTruth truth = truth_of(snapshot_.mirror(), tasks_.fit().rows_of(0));
  truth.folds = tasks_.fit().folds();  // cuts for a document come from others
  for (std::size_t i = 0; i < truth.documents; ++i)
    truth.fold[i] = static_cast<std::uint8_t>(i % truth.folds);
  std::vector<LeaveOneOut> parts;
  std::vector<MethodTrial> blends;
  for (const LeaveOneOut& of_kind : known) parts.push_back(tasks_.fit().part(0, of_kind));
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    blends.push_back({blend_of(kinds[i], request_.keep_terms), &parts[i], &truth});
  }
  const std::vector<bool> behind = clearly_behind(tasks_.losses(blends));
  std::vector<MethodTrial> trials;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (behind[i]) add_trials(request_, kinds[i], parts[i], truth, trials);
  const std::vector<MeasuredMethod> measured = tasks_.measure(trials);
  for (std::size_t i = 0; i < trials.size(); ++i)
    note(trials[i].method, measured[i], truth.documents);
  for (std::size_t i = kinds.size(); i-- > 0;) {
    if (!behind[i]) continue;
    kinds.erase(kinds.begin() + static_cast<std::ptrdiff_t>(i));
    known.erase(known.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

bool MethodSearch::complete(BestMethod& best, std::span<const MethodTrial> trials) const {
  if (best.trial == SIZE_MAX) return false;
  const auto& [method, known, truth] = trials[best.trial];
  best.trial = SIZE_MAX;
  if (best.combiner) {
    best.features = trial_features(method, *known, labels_, *truth, threads());
    best.scores = combined_scores(*best.combiner, best.features, *truth, threads());
  } else {
    best.scores = trial_scores(method, *known, labels_, *truth, threads());
  }
  return true;
}

void MethodSearch::try_linear() {
  if (blend_.mean_f1 < 0 || truth_.documents < kFewestForLinear) return;
  TaggingMethod method = report_.trials[blend_place_].method;
  LeaveOneOut known;
  known.weights = blend_weights_;
  begin("linear classifiers, and weights of all documents");
  forward_ = forward_rows(snapshot_.mirror(), rows_, request_.seed);
  late_ = tasks_.late_parts(method, known, forward_);
  method.linear = true;
  std::vector<float> features = blend_.features;
  for (std::size_t i = 0; i < late_->linear.size(); ++i)
    features[i * kLabelFeatures + kLinear] = late_->linear[i];
  try_features(method, std::move(features));
}

void MethodSearch::try_features(const TaggingMethod& method, std::vector<float> features) {
  const CombinerExamples examples{truth_.documents, truth_.labels, features, truth_.begin,
                                  truth_.label};
  MeasuredMethod measured;
  measured.fitted = fit_combiner(truth_.single_label(), examples, threads());
  std::vector<float> scores =
      combined_scores(measured.fitted->combiner, features, truth_, threads());
  measured.accuracy = scoring_.accuracy(scores);
  measured.calibration_error = scoring_.calibration_error(scores);
  measured.cuts = scoring_.try_cuts(scores, kLeastConfidence);
  if (judge(method, measured, SIZE_MAX)) {
    blend_.scores = std::move(scores);
    blend_.features = std::move(features);
  }
}

bool MethodSearch::judge(const TaggingMethod& method, const MeasuredMethod& found,
                         std::size_t trial) {
  const std::size_t place = note(method, found, truth_.documents);
  BestMethod best;
  best.mean_f1 = report_.trials[place].scores.mean_f1();
  best.trial = trial;
  if (found.fitted) best.combiner = found.fitted->combiner;
  const bool is_better =
      found.fitted ? found.fitted->plain_loss < least_loss_ : best.mean_f1 > plain_.mean_f1;
  if (is_better && found.fitted) least_loss_ = found.fitted->plain_loss;
  if (is_better) {
    (found.fitted ? blend_ : plain_) = std::move(best);
    (found.fitted ? blend_place_ : plain_place_) = place;
  }
  choose();
  return is_better;
}

std::size_t MethodSearch::note(TaggingMethod method, const MeasuredMethod& found,
                               std::size_t documents) {
  TuningScores measured;
  measured.documents = documents;
  measured.accuracy = found.accuracy;
  measured.calibration_error = found.calibration_error;
  if (found.fitted) measured.log_loss = found.fitted->log_loss;
  double most = -1;
  std::size_t place = 0;
  for (const CutTrial& cut : found.cuts) {
    method.cut = cut.cut;
    method.cut_value = cut.value;
    measured.micro_f1 = cut.micro_f1;
    measured.macro_f1 = cut.macro_f1;
    report_.trials.push_back({method, measured});
    if (measured.mean_f1() <= most) continue;
    most = measured.mean_f1();
    place = report_.trials.size() - 1;
  }
  return place;
}

void MethodSearch::choose() {
  const double m = std::clamp(plain_.mean_f1, 0.0, 1.0);
  const double error = std::sqrt(m * (1 - m) / static_cast<double>(truth_.documents));
  report_.allowance = 2 * error;
  best_ = blend_.mean_f1 >= plain_.mean_f1 - report_.allowance ? &blend_ : &plain_;
  if (blend_.mean_f1 < 0) best_ = &plain_;
  report_.best = best_ == &blend_ ? blend_place_ : plain_place_;
}

void MethodSearch::finish() {
  ticks_.forget();
  const TuneTrial& won = report_.trials[report_.best];
  const TaggingMethod& method = won.method;
  Tuning& tuning = report_.tuning;
  tuning.method = method;
  tuning.single_label = truth_.single_label();
  tuning.max_labels = truth_.most_labels();
  tuning.scores = won.scores;
  if (best_ == &blend_) fit_blend_forward(method);
  tuning.combiner = best_->combiner;
  begin("weights of all documents");
  const bool is_known =
      late_ && report_.trials[blend_place_].method.term_weights == method.term_weights;
  const FittedWeights fitted =
      is_known ? std::move(late_->weights) : tasks_.fit().fit(method.term_weights, rows_.voters);
  tuning.weights =
      std::make_shared<const FrozenWeights>(snapshot_.mirror().vocabulary, fitted.weights);
  const Mirror& mirror = snapshot_.mirror();
  tuning.information = std::make_shared<const LabelInformation>(
      label_information({tasks_.options().counts->postings().view(), labels_, rows_.voters},
                        mirror.labels.names.size(), threads()));
  if (method.linear) learn_linear(fitted.weights);
  tuning.corrected_terms = fitted.corrections.size() -
                           static_cast<std::size_t>(std::ranges::count(fitted.corrections, 0.0));
  if (method.cut == CutKind::kScut || method.cut == CutKind::kProportional) set_thresholds();
}

void MethodSearch::learn_linear(const std::vector<double>& weights) {
  begin("linear classifiers of all documents");
  const auto learned = tasks_.fit().learn_linear(weights, rows_.voters);
  const Mirror& mirror = snapshot_.mirror();
  std::vector<float> left_out(truth_.documents * truth_.labels);
  for (std::size_t i = 0; i < left_out.size(); ++i)
    left_out[i] = blend_.features[i * kLabelFeatures + kLinear];
  const LeftOutGrowth growth = tasks_.fit().growth(
      weights, LinearVotes(learned, mirror.vocabulary, mirror.labels.names), left_out);
  report_.tuning.classifiers =
      std::make_shared<const LinearClassifiers>(learned->with_growth(growth));
}

void MethodSearch::fit_blend_forward(const TaggingMethod& method) {
  if (!forward_) return;
  begin("the latest documents by the earlier ones");
  const auto of_blend = [&](LeaveOneOut found) {
    if (!method.linear) found.linear.clear();
    return found;
  };
  const auto by_chance = [&] {
    return of_blend(classify_forward(snapshot_, forward_->by_chance, method, method.linear,
                                     tasks_.options(), tasks_.ticking()));
  };
  const auto forward = fit_forward(snapshot_, *forward_, method, *blend_.combiner,
                                   of_blend(std::move(late_->latest)), by_chance);
  if (!forward) return;
  report_.tuning.forward_documents = forward->documents;
  blend_.combiner = forward->combiner;
  blend_.scores = combined_scores(*blend_.combiner, blend_.features, truth_, threads());
}

void MethodSearch::set_thresholds() {
  Tuning& tuning = report_.tuning;
  const std::vector<double> found =
      scoring_.thresholds(best_->scores, tuning.method.cut, tuning.method.cut_value,
                          tuning.combiner ? kLeastConfidence : 0);
  std::vector<double> finite;
  for (std::uint32_t label = 0; label < found.size(); ++label) {
    tuning.thresholds[std::string(snapshot_.mirror().labels.names[label])] = found[label];
    if (found[label] < std::numeric_limits<double>::infinity()) finite.push_back(found[label]);
  }
  if (tuning.combiner || finite.empty()) return;  // a probability: 0.5 tells what is likelier
  std::sort(finite.begin(), finite.end());
  tuning.other_threshold = finite[finite.size() / 2];
}

}  // namespace kindred
