#include "plugin/tune/tune.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "config/error.h"
#include "plugin/tune/combiner_fit.h"
#include "plugin/tune/forward_fit.h"
#include "plugin/tune/leave_one_out.h"
#include "plugin/tune/trial_scoring.h"
#include "plugin/tune/trial_votes.h"
#include "plugin/votes/frozen_weights.h"
#include "plugin/votes/label_features.h"
#include "plugin/votes/related_weights.h"

namespace kindred {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kMostPairs = std::size_t{1} << 23;  // (document, label) pairs in memory
constexpr std::array<std::int64_t, 2> kNeighbors = {30, 45};
constexpr std::size_t kClassifierDocuments = 50000,
                      kClassifierDocumentsIfQuick = 12000;  // documents, about
constexpr std::int64_t kFirstLook = 2000;      // documents that are classified, with a budget
constexpr std::size_t kFewestForLinear = 200;  // documents; fewer do not bear more coefficients
constexpr double kLeastConfidence = 0.1;       // of a tag by a blend; rare labels would get less

/// Thrown when the budget is spent. The methods that were tried until then count.
struct Spent {};

[[noreturn]] void refuse(const std::string& what) { throw Error(Errc::kInvalidArgument, what); }

void check(const TuneRequest& request, std::size_t documents) {
  if (request.objective != "micro_f1" && request.objective != "macro_f1" &&
      request.objective != "blend")
    refuse("objective: expected micro_f1, macro_f1 or blend (got '" + request.objective + "')");
  if (!(request.budget >= 0)) refuse("budget: expected seconds, at least 0");
  if (!(request.keep_terms > 0 && request.keep_terms <= 1))
    refuse("keep_terms: expected a share above 0, at most 1");
  if (request.term_weights.empty()) refuse("term weights: expected at least one");
  for (const std::string& name : request.term_weights) term_weight_kind(name);
  if (request.sample < 0 || request.sample == 1)
    refuse(
        "sample: expected 0, for all documents, or at least 2, since a document is judged by "
        "what was fitted to others (got " +
        std::to_string(request.sample) + ")");
  if (documents >= 2) return;
  refuse(request.filter.empty()
             ? "tuning needs at least two labeled documents, found " + std::to_string(documents)
             : "filter '" + request.filter + "': tuning needs at least two labeled documents, " +
                   std::to_string(documents) + " match");
}

std::size_t sample_size(const TuneRequest& request, std::size_t documents, std::size_t labels) {
  auto size = request.sample == 0 ? documents : static_cast<std::size_t>(request.sample);
  size = std::min(size, std::max<std::size_t>(2, kMostPairs / std::max<std::size_t>(1, labels)));
  return std::min(size, documents);
}

/// One run: leave-one-out with each kind of term weights in turn, the trials on its results, and
/// the tuning of the best method.
class MethodSearch {
 public:
  MethodSearch(const Snapshot& snapshot, const FoldedRows& rows, const TuneRequest& request,
               const OnTuning& on_tuning)
      : snapshot_(snapshot),
        labels_(snapshot.mirror().labels.view()),
        request_(request),
        on_tuning_(on_tuning),
        truth_(truth_of(snapshot.mirror(), rows)),
        scoring_(truth_, threads()),
        options_{request.keep_terms,
                 request.quick ? kClassifierDocumentsIfQuick : kClassifierDocuments},
        fit_(snapshot, rows, options_, [this](std::uint64_t documents) { tick(documents); }),
        rows_(rows) {}

  /// Nothing if the budget was spent before one method was tried.
  std::optional<TuneReport> run() {
    try {
      for (const std::string& name : request_.term_weights) {
        try_weights(term_weight_kind(name));
        if (request_.budget > 0) try_linear();  // while there is time
      }
      if (!(request_.budget > 0)) try_linear();
    } catch (const Spent&) {
      report_.complete = false;
    }
    if (!best_) return std::nullopt;
    finish();
    return std::move(report_);
  }

 private:
  /// What was learned along with the best method so far.
  struct BestMethod {
    double objective = -1;
    std::vector<float> scores;
    std::optional<Combiner> combiner;
    std::vector<float> features;  ///< that the combiner takes
  };

  std::size_t threads() const { return snapshot_.voting().threads(); }

  void tick(std::uint64_t documents) {
    if (on_tuning_) on_tuning_(doing_, done_ += documents);
    check_budget();
  }

  double passed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  void check_budget() const {
    if (!finishing_ && request_.budget > 0 && passed() > request_.budget) throw Spent{};
  }

  void try_weights(TermWeightKind kind) {
    doing_ = "leave-one-out, term weights " + std::string(term_weight_name(kind));
    done_ = 0;
    const LeaveOneOut known = fit_.run(kind, kNeighbors.back());
    TaggingMethod method;
    method.term_weights = kind;
    method.keep_terms = request_.keep_terms;
    if (request_.quick) return try_blend(method, known, kNeighbors.back());
    for (const VoteKind vote : {VoteKind::kBest, VoteKind::kCentroid, VoteKind::kProfile}) {
      method.vote = vote;
      method.k = kNeighbors.back();
      try_method(method, known);
    }
    for (const std::int64_t k : kNeighbors) {
      method.k = k;
      for (const double power : {0.0, 1.0, 3.0}) {
        method.vote = power == 0 ? VoteKind::kMajority : VoteKind::kSimilarity;
        method.similarity_power = power == 0 ? 1 : power;
        try_method(method, known);
      }
      try_blend(method, known, k);
    }
  }

  void try_method(const TaggingMethod& method, const LeaveOneOut& known) {
    judge(method, trial_scores(method, known, labels_, truth_, threads()), nullptr);
  }

  void try_blend(TaggingMethod method, const LeaveOneOut& known, std::int64_t k) {
    method.vote = VoteKind::kBlend;
    method.k = k;
    method.similarity_power = kFeaturePower;
    try_features(method, trial_features(method, known, labels_, truth_, threads()));
  }

  /// Tries the best blend with linear classifiers.
  void try_linear() {
    if (blend_.objective < 0 || truth_.documents < kFewestForLinear) return;
    TaggingMethod method = report_.trials[blend_place_].method;
    if (method.linear) return;
    doing_ = "linear classifiers";
    done_ = 0;
    method.linear = true;
    std::vector<float> features = blend_.features;
    const std::vector<float> values = fit_.run_linear(method.term_weights);
    for (std::size_t i = 0; i < values.size(); ++i)
      features[i * kLabelFeatures + kLinear] = values[i];
    try_features(method, std::move(features));
  }

  void try_features(const TaggingMethod& method, std::vector<float> features) {
    const CombinerExamples examples{truth_.documents, truth_.labels, features, truth_.begin,
                                    truth_.label};
    const FittedCombiner fitted = fit_combiner(truth_.single_label(), examples, threads());
    std::vector<float> scores = combined_scores(fitted.combiner, features, truth_, threads());
    judge(method, std::move(scores), &fitted, std::move(features));
  }

  /// Tries the cuts, and keeps the method if it is the best so far. Among blends, the one with the
  /// least log loss is the best.
  void judge(TaggingMethod method, std::vector<float> scores, const FittedCombiner* fitted,
             std::vector<float> features = {}) {
    TuningScores measured;
    measured.documents = truth_.documents;
    measured.accuracy = scoring_.accuracy(scores);
    measured.calibration_error = scoring_.calibration_error(scores);
    if (fitted != nullptr) measured.log_loss = fitted->log_loss;
    BestMethod found;
    std::size_t place = 0;
    for (const CutTrial& trial :
         scoring_.try_cuts(scores, fitted != nullptr ? kLeastConfidence : 0)) {
      method.cut = trial.cut;
      method.cut_value = trial.value;
      measured.micro_f1 = trial.micro_f1;
      measured.macro_f1 = trial.macro_f1;
      report_.trials.push_back({method, measured, passed()});
      const double objective = objective_value(request_.objective, measured);
      if (objective <= found.objective) continue;
      found.objective = objective;
      place = report_.trials.size() - 1;
    }
    found.scores = std::move(scores);
    found.features = std::move(features);
    if (fitted != nullptr) found.combiner = fitted->combiner;
    if (fitted == nullptr) {
      keep_better(plain_, plain_place_, std::move(found), place);
    } else if (fitted->log_loss < least_loss_) {
      least_loss_ = fitted->log_loss;
      blend_ = std::move(found);
      blend_place_ = place;
    }
    choose();
    check_budget();
  }

  static void keep_better(BestMethod& best, std::size_t& best_place, BestMethod&& found,
                          std::size_t place) {
    if (found.objective <= best.objective) return;
    best = std::move(found);
    best_place = place;
  }

  /// Chooses the blend, since its confidences are probabilities, unless another vote is better by
  /// more than two standard errors of a share. One would not do: that vote is the best of many, so
  /// chance would often put it one standard error ahead.
  void choose() {
    const double m = std::clamp(plain_.objective, 0.0, 1.0);
    const double error = std::sqrt(m * (1 - m) / static_cast<double>(truth_.documents));
    report_.allowance = 2 * error;
    best_ = blend_.objective >= plain_.objective - report_.allowance ? &blend_ : &plain_;
    if (blend_.objective < 0) best_ = &plain_;
    report_.best = best_ == &blend_ ? blend_place_ : plain_place_;
  }

  /// Makes the tuning of the best method. Weights are learned from all voters.
  void finish() {
    finishing_ = true;
    const TuneTrial& won = report_.trials[report_.best];
    const TaggingMethod& method = won.method;
    Tuning& tuning = report_.tuning;
    tuning.method = method;
    tuning.single_label = truth_.single_label();
    tuning.max_labels = truth_.most_labels();
    tuning.voters = rows_.voters.count();
    tuning.scores = won.scores;
    if (best_ == &blend_) fit_blend_forward(method);
    tuning.combiner = best_->combiner;
    doing_ = "weights of all documents";
    done_ = 0;
    const FittedWeights fitted = fit_.fit(method.term_weights, rows_.voters);
    tuning.weights =
        std::make_shared<const FrozenWeights>(snapshot_.mirror().vocabulary, fitted.weights);
    const Mirror& mirror = snapshot_.mirror();
    tuning.information = std::make_shared<const LabelInformation>(
        label_information(mirror, labels_, rows_.voters, mirror.labels.names.size(), threads()));
    if (method.linear) learn_linear(fitted.weights);
    tuning.corrected_terms = fitted.corrections.size() -
                             static_cast<std::size_t>(std::ranges::count(fitted.corrections, 0.0));
    if (method.cut == CutKind::kScut || method.cut == CutKind::kProportional) set_thresholds();
  }

  void learn_linear(const std::vector<double>& weights) {
    doing_ = "linear classifiers of all documents";
    done_ = 0;
    const auto learned = fit_.learn_linear(weights, rows_.voters);
    const Mirror& mirror = snapshot_.mirror();
    std::vector<float> left_out(truth_.documents * truth_.labels);
    for (std::size_t i = 0; i < left_out.size(); ++i)
      left_out[i] = blend_.features[i * kLabelFeatures + kLinear];
    const LeftOutGrowth growth = fit_.growth(
        weights, LinearVotes(learned, mirror.vocabulary, mirror.labels.names), left_out);
    report_.tuning.classifiers =
        std::make_shared<const LinearClassifiers>(learned->with_growth(growth));
  }

  /// Fits the blend forward in time, where that makes a difference, so that its confidences hold
  /// for new documents.
  void fit_blend_forward(const TaggingMethod& method) {
    doing_ = "the latest documents by the earlier ones";
    done_ = 0;
    const auto forward =
        fit_forward(snapshot_, rows_, method, options_, *blend_.combiner, request_.seed,
                    [this](std::uint64_t documents) { tick(documents); });
    if (!forward) return;
    report_.tuning.forward_documents = forward->documents;
    blend_.combiner = forward->combiner;
    blend_.scores = combined_scores(*blend_.combiner, blend_.features, truth_, threads());
  }

  void set_thresholds() {
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

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const Snapshot& snapshot_;
  const LabelView labels_;
  const TuneRequest& request_;
  const OnTuning& on_tuning_;
  const TrialTruth truth_;
  const TrialScoring scoring_;
  const CrossFitOptions options_;
  const CrossFit fit_;
  const FoldedRows& rows_;
  TuneReport report_;
  BestMethod plain_, blend_;
  const BestMethod* best_ = nullptr;
  std::size_t plain_place_ = 0, blend_place_ = 0;
  double least_loss_ = std::numeric_limits<double>::infinity();
  std::string doing_;
  std::uint64_t done_ = 0;
  bool finishing_ = false;
};

using Search = std::function<std::optional<TuneReport>(const TuneRequest&)>;

/// The kinds of term weights of a search, those with the least log loss first.
std::vector<std::string> best_first(const TuneReport& report) {
  std::map<TermWeightKind, double> least;
  for (const TuneTrial& trial : report.trials) {
    if (!trial.scores.log_loss) continue;
    const auto [known, is_first] = least.emplace(trial.method.term_weights, *trial.scores.log_loss);
    if (!is_first) known->second = std::min(known->second, *trial.scores.log_loss);
  }
  std::vector<std::pair<double, TermWeightKind>> order;
  for (const auto& [kind, loss] : least) order.emplace_back(loss, kind);
  std::sort(order.begin(), order.end());
  std::vector<std::string> names;
  for (const auto& [loss, kind] : order) names.emplace_back(term_weight_name(kind));
  return names;
}

/// Spends a budget: first on what wins nearly always, with each kind of term weights on few
/// documents, then on everything, beginning with the term weights that lead. The second search
/// counts if it got as far as linear classifiers, else the first.
std::optional<TuneReport> search_by_budget(const TuneRequest& request, const Search& search) {
  const auto start = std::chrono::steady_clock::now();
  TuneRequest asked = request;
  asked.quick = true;
  asked.sample = request.sample == 0 ? kFirstLook : std::min(request.sample, kFirstLook);
  std::optional<TuneReport> first = search(asked);
  if (!first || !first->complete) return first;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  TuneRequest rest = request;
  rest.budget = request.budget - passed.count();
  rest.term_weights = best_first(*first);
  std::optional<TuneReport> second;
  if (rest.budget > 0) second = search(rest);
  if (!second) {
    first->complete = false;
    return first;
  }
  const bool is_enough =
      second->complete || std::ranges::any_of(second->trials, [](const TuneTrial& trial) {
        return trial.method.linear;
      });
  TuneReport& chosen = is_enough ? *second : *first;
  std::vector<TuneTrial> trials = first->trials;
  trials.insert(trials.end(), second->trials.begin(), second->trials.end());
  if (is_enough) chosen.best += first->trials.size();
  chosen.complete = second->complete;
  chosen.trials = std::move(trials);
  return std::move(chosen);
}

}  // namespace

TuneRequest quick_tune_request() {
  TuneRequest request;
  request.term_weights = {"kl", "learned"};
  request.sample = 4000;
  request.quick = true;
  return request;
}

double objective_value(const std::string& objective, const TuningScores& scores) {
  if (objective == "micro_f1") return scores.micro_f1;
  if (objective == "macro_f1") return scores.macro_f1;
  return (scores.micro_f1 + scores.macro_f1) / 2;
}

TuneReport tune(const Snapshot& snapshot, const Settings& settings, const RowSet& voters,
                std::span<const std::vector<std::uint32_t>> groups, const TuneRequest& request,
                const OnTuning& on_tuning) {
  const Mirror& mirror = snapshot.mirror();
  check(request, voters.count());
  const auto search = [&](const TuneRequest& asked) {
    FoldedRows rows = deal_rows(voters, std::min<std::size_t>(kFolds, voters.count()), asked.seed,
                                sample_size(asked, voters.count(), mirror.labels.names.size()));
    keep_apart(companions_of(snapshot, rows.rows, voters), rows);
    keep_groups_apart(groups, rows);
    return MethodSearch(snapshot, rows, asked, on_tuning).run();
  };
  std::optional<TuneReport> report =
      request.budget > 0 && !request.quick ? search_by_budget(request, search) : search(request);
  if (!report) {
    refuse("budget: " + std::to_string(request.budget) +
           " seconds are too few to try one method on " + std::to_string(voters.count()) +
           " documents");
  }
  report->tuning.uuid = mirror.uuid;
  report->tuning.revision = mirror.revision;
  report->tuning.smart = settings.weighting.smart;
  report->tuning.prefixes = mirror.prefixes;
  report->tuning.filter = request.filter;
  report->tuning.objective = request.objective;
  return std::move(*report);
}

}  // namespace kindred
