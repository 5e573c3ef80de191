#include "plugin/tune/tune.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>
#include <utility>

#include "config/error.h"
#include "plugin/mirror/mirror_sample.h"
#include "plugin/mirror/read_revisions.h"
#include "plugin/ranks/agreement.h"
#include "plugin/tune/combiner_fit.h"
#include "plugin/tune/document_ticks.h"
#include "plugin/tune/forward_fit.h"
#include "plugin/tune/leave_one_out.h"
#include "plugin/tune/trial_scoring.h"
#include "plugin/tune/trial_votes.h"
#include "plugin/tune/tuning_tasks.h"
#include "plugin/votes/frozen_weights.h"
#include "plugin/votes/label_features.h"
#include "plugin/votes/related_weights.h"

namespace kindred {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kMostPairs = std::size_t{1} << 23;  // (document, label) pairs in memory
constexpr std::array<std::int64_t, 2> kNeighbors = {30, 45};
constexpr std::size_t kMostTogether = std::size_t{1}
                                      << 30;   // bytes, of kinds that are tried together
constexpr std::int64_t kFirstLook = 2000;      // documents that are classified, with a budget
constexpr double kClearly = 2;                 // standard errors, of a difference of losses
constexpr std::size_t kFewestForLinear = 200;  // documents; fewer do not bear more coefficients

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
  if (request.quick_documents < 2) refuse("quick_documents: expected at least 2");
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

/// All that the results of a tuning depend on.
std::string identity_of(const Mirror& mirror, const Settings& settings, const TuneRequest& request,
                        const RowSet& voters) {
  Settings used = settings;
  used.backend = {};  // every backend finds the same
  std::ostringstream text;
  text.precision(17);
  text << mirror.uuid << '\n'
       << revision_text(mirror) << ' ' << mirror.docids.size() << ' ' << voters.count() << '\n'
       << request.objective << ' ' << request.budget << ' ' << request.seed << ' '
       << request.keep_terms << ' ' << request.sample << ' ' << request.quick << ' '
       << request.first_look << ' ' << request.quick_documents << '\n';
  for (const std::string& name : request.term_weights) text << name << ' ';
  for (const std::string& group : request.groups) text << '\n' << group;
  text << '\n' << request.filter << '\n' << settings_text(used);
  return text.str();
}

/// @throws Error if the ranks do not tune the same index in the same way.
void agree(Ranks& ranks, const Mirror& mirror, const TuneRequest& request,
           const std::string& identity) {
  if (ranks.size() == 1) return;
  if (request.budget > 0)
    refuse("budget: clocks differ, so several ranks need a search without one");
  check_agreement(ranks, {{"UUID of the index", mirror.uuid},
                          {"revision of the index", revision_text(mirror)},
                          {"documents of the index", std::to_string(mirror.docids.size())},
                          {"request and settings", identity}});
}

/// For each method, whether the mean of its documents' losses is clearly above the least.
std::vector<bool> clearly_behind(const std::vector<std::vector<double>>& losses) {
  const auto total = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  };
  const std::vector<double>& least = *std::ranges::min_element(losses, {}, total);
  std::vector<bool> behind;
  for (const std::vector<double>& of_method : losses) {
    double sum = 0, squares = 0;
    for (std::size_t d = 0; d < least.size(); ++d) {
      sum += of_method[d] - least[d];
      squares += (of_method[d] - least[d]) * (of_method[d] - least[d]);
    }
    const auto n = static_cast<double>(least.size());
    const double error = std::sqrt(std::max(squares / n - sum / n * (sum / n), 0.0) / n);
    behind.push_back(sum / n > kClearly * error);
  }
  return behind;
}

/// One run: leave-one-out with each kind of term weights, the trials on its results, and the tuning
/// of the best method.
class MethodSearch {
 public:
  MethodSearch(const Snapshot& snapshot, const FoldedRows& rows, const TuneRequest& request,
               const OnTuning& on_tuning, Ranks& ranks, Journal* journal)
      : snapshot_(snapshot),
        labels_(snapshot.mirror().labels.view()),
        request_(request),
        on_tuning_(on_tuning),
        ranks_(ranks),
        truth_(truth_of(snapshot.mirror(), rows)),
        scoring_(truth_, threads()),
        rows_(rows),
        ticks_([this](std::uint64_t documents) { tell(documents); }, [this] { check_budget(); }),
        tasks_(snapshot, rows, request, ranks, journal, ticks_) {}

  /// Nothing if the budget was spent before one method was tried.
  std::optional<TuneReport> run() {
    try {
      for (const std::vector<TermWeightKind>& kinds : kinds_at_once()) {
        try_weights(kinds);
        if (request_.budget > 0) try_linear();  // while there is time
      }
      if (!(request_.budget > 0)) try_linear();
    } catch (const Spent&) {
      report_.complete = false;
    }
    if (!best_) return std::nullopt;
    if (ranks_.rank() == 0) finish();
    return std::move(report_);
  }

 private:
  /// What was learned along with the best method so far.
  struct BestMethod {
    double objective = -1;
    std::vector<float> scores;
    std::optional<Combiner> combiner;
    std::vector<float> features;   ///< that the combiner takes
    std::size_t trial = SIZE_MAX;  ///< whose scores and features are still to be computed
  };

  std::size_t threads() const { return snapshot_.voting().threads(); }

  void tell(std::uint64_t documents) {
    if (on_tuning_) on_tuning_(doing_, done_ += documents);
  }

  double passed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  bool is_spent() const { return !finishing_ && request_.budget > 0 && passed() > request_.budget; }

  void check_budget() const {
    if (is_spent()) throw Spent{};
  }

  void begin(const std::string& doing) {
    doing_ = doing;
    done_ = 0;
  }

  /// The kinds of term weights in groups: those of a group are tried together, which keeps all
  /// ranks and threads busy. With a budget, or where it would take too much memory, one after the
  /// other.
  std::vector<std::vector<TermWeightKind>> kinds_at_once() const {
    const std::size_t bytes =
        truth_.documents * (static_cast<std::size_t>(kNeighbors.back()) * sizeof(Neighbor) +
                            2 * truth_.labels * sizeof(float));
    std::vector<std::vector<TermWeightKind>> groups;
    for (const std::string& name : request_.term_weights) {
      const bool alone =
          request_.budget > 0 || bytes * request_.term_weights.size() > kMostTogether;
      if (alone || groups.empty()) groups.emplace_back();
      groups.back().push_back(term_weight_kind(name));
    }
    return groups;
  }

  void try_weights(std::vector<TermWeightKind> kinds) {
    std::string names;
    for (const TermWeightKind kind : kinds)
      names += (names.empty() ? "" : ", ") + std::string(term_weight_name(kind));
    begin("leave-one-out, term weights " + names);
    const auto k = static_cast<std::size_t>(kNeighbors.back());
    std::vector<LeaveOneOut> known(kinds.size(), tasks_.fit().nothing_classified(k));
    std::size_t looked_at = 0;  // folds
    if (looks_first(kinds)) {
      tasks_.leave_one_out(kinds, k, {0, ++looked_at}, known);
      drop_those_behind(kinds, known);
    }
    tasks_.leave_one_out(kinds, k, {looked_at, tasks_.fit().folds()}, known);
    std::vector<MethodTrial> trials;
    for (std::size_t i = 0; i < kinds.size(); ++i) add_trials(kinds[i], known[i], truth_, trials);
    begin("methods, term weights " + names);
    const auto measured = tasks_.measure(trials, [this] { return is_spent(); });
    bool spent = false;
    for (std::size_t i = 0; i < trials.size() && !spent; ++i) {
      spent = !measured[i];
      if (!spent) judge(trials[i].method, *measured[i], i);
    }
    complete(plain_, trials);
    if (complete(blend_, trials))
      blend_weights_ =
          known[static_cast<std::size_t>(
                    std::ranges::find(kinds, report_.trials[blend_place_].method.term_weights) -
                    kinds.begin())]
              .weights;
    if (spent) throw Spent{};
    check_budget();
  }

  bool looks_first(const std::vector<TermWeightKind>& kinds) const {
    return request_.first_look > 0 && kinds.size() > 1 && tasks_.fit().folds() > 1 &&
           truth_.documents / tasks_.fit().folds() >= static_cast<std::size_t>(request_.first_look);
  }

  /// Compares kinds of term weights by their blends on the first fold. Those that are clearly
  /// behind the best are measured there, and dropped.
  void drop_those_behind(std::vector<TermWeightKind>& kinds, std::vector<LeaveOneOut>& known) {
    TrialTruth truth = truth_of(snapshot_.mirror(), tasks_.fit().rows_of(0));
    truth.folds = tasks_.fit().folds();  // cuts for a document come from others
    for (std::size_t i = 0; i < truth.documents; ++i)
      truth.fold[i] = static_cast<std::uint8_t>(i % truth.folds);
    std::vector<LeaveOneOut> parts;
    std::vector<MethodTrial> blends;
    for (const LeaveOneOut& of_kind : known) parts.push_back(tasks_.fit().part(0, of_kind));
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      blends.push_back({blend_of(kinds[i]), &parts[i], &truth});
    }
    const std::vector<bool> behind = clearly_behind(tasks_.losses(blends));
    std::vector<MethodTrial> trials;
    for (std::size_t i = 0; i < kinds.size(); ++i)
      if (behind[i]) add_trials(kinds[i], parts[i], truth, trials);
    const auto measured = tasks_.measure(trials, [] { return false; });
    for (std::size_t i = 0; i < trials.size(); ++i)
      note(trials[i].method, *measured[i], truth.documents);
    for (std::size_t i = kinds.size(); i-- > 0;) {
      if (!behind[i]) continue;
      kinds.erase(kinds.begin() + static_cast<std::ptrdiff_t>(i));
      known.erase(known.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  TaggingMethod blend_of(TermWeightKind kind) const {
    TaggingMethod method;
    method.term_weights = kind;
    method.keep_terms = request_.keep_terms;
    method.vote = VoteKind::kBlend;
    method.k = kNeighbors.back();
    method.similarity_power = kFeaturePower;
    return method;
  }

  void add_trials(TermWeightKind kind, const LeaveOneOut& known, const TrialTruth& truth,
                  std::vector<MethodTrial>& trials) const {
    TaggingMethod method;
    method.term_weights = kind;
    method.keep_terms = request_.keep_terms;
    const auto add = [&](VoteKind vote, std::int64_t k, double power) {
      method.vote = vote;
      method.k = k;
      method.similarity_power = power;
      trials.push_back({method, &known, &truth});
    };
    if (request_.quick) return trials.push_back({blend_of(kind), &known, &truth});
    for (const VoteKind vote : {VoteKind::kBest, VoteKind::kCentroid, VoteKind::kProfile})
      add(vote, kNeighbors.back(), 1);
    for (const std::int64_t k : kNeighbors) {
      add(VoteKind::kMajority, k, 1);
      for (const double power : {1.0, 3.0}) add(VoteKind::kSimilarity, k, power);
      add(VoteKind::kBlend, k, kFeaturePower);
    }
  }

  /// Computes what a method that is the best so far goes by, if it is one of these. False if not.
  bool complete(BestMethod& best, std::span<const MethodTrial> trials) const {
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

  /// Tries the best blend with linear classifiers. Without a budget, what the end needs is computed
  /// along with them.
  void try_linear() {
    if (blend_.objective < 0 || truth_.documents < kFewestForLinear) return;
    TaggingMethod method = report_.trials[blend_place_].method;
    if (method.linear) return;
    LeaveOneOut known;
    known.weights = blend_weights_;
    if (request_.budget > 0) {
      begin("linear classifiers");
      late_.emplace().linear = tasks_.linear(method, known);
    } else {
      begin("linear classifiers, and weights of all documents");
      forward_ = forward_rows(snapshot_.mirror(), rows_, request_.seed);
      late_ = tasks_.late_parts(method, known, forward_);
      late_method_ = method;
    }
    method.linear = true;
    std::vector<float> features = blend_.features;
    for (std::size_t i = 0; i < late_->linear.size(); ++i)
      features[i * kLabelFeatures + kLinear] = late_->linear[i];
    try_features(method, std::move(features));
  }

  void try_features(const TaggingMethod& method, std::vector<float> features) {
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
    check_budget();
  }

  /// Tries the cuts, and keeps the method if it is the best so far: then true. Among blends, the
  /// one with the least log loss is the best. `trial`: what complete() takes.
  bool judge(const TaggingMethod& method, const MeasuredMethod& found, std::size_t trial) {
    const std::size_t place = note(method, found, truth_.documents);
    BestMethod best;
    best.objective = objective_value(request_.objective, report_.trials[place].scores);
    best.trial = trial;
    if (found.fitted) best.combiner = found.fitted->combiner;
    const bool is_better =
        found.fitted ? found.fitted->log_loss < least_loss_ : best.objective > plain_.objective;
    if (is_better && found.fitted) least_loss_ = found.fitted->log_loss;
    if (is_better) {
      (found.fitted ? blend_ : plain_) = std::move(best);
      (found.fitted ? blend_place_ : plain_place_) = place;
    }
    choose();
    return is_better;
  }

  /// Adds a method with each of its cuts to the report. Returns the place of the best one there.
  std::size_t note(TaggingMethod method, const MeasuredMethod& found, std::size_t documents) {
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
      report_.trials.push_back({method, measured, passed()});
      const double objective = objective_value(request_.objective, measured);
      if (objective <= most) continue;
      most = objective;
      place = report_.trials.size() - 1;
    }
    return place;
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
    const bool is_known = late_method_ && late_method_->term_weights == method.term_weights;
    const FittedWeights fitted =
        is_known ? std::move(late_->weights) : tasks_.fit().fit(method.term_weights, rows_.voters);
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

  /// Fits the blend forward in time, where that makes a difference, so that its confidences hold
  /// for new documents.
  void fit_blend_forward(const TaggingMethod& method) {
    begin("the latest documents by the earlier ones");
    const bool is_known = late_method_ && late_method_->term_weights == method.term_weights &&
                          late_method_->k == method.k;
    if (!is_known) forward_ = forward_rows(snapshot_.mirror(), rows_, request_.seed);
    if (!forward_) return;
    const auto classified = [&](const FoldedRows& rows, const std::optional<LeaveOneOut>* known) {
      LeaveOneOut found = is_known && *known
                              ? **known
                              : classify_forward(snapshot_, rows, method, method.linear,
                                                 tasks_.options(), tasks_.ticking());
      if (!method.linear) found.linear.clear();
      return found;
    };
    const auto forward = fit_forward(
        snapshot_, *forward_, method, *blend_.combiner,
        classified(forward_->latest, is_known ? &late_->latest : nullptr),
        [&] { return classified(forward_->by_chance, is_known ? &late_->by_chance : nullptr); });
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
  Ranks& ranks_;
  const TrialTruth truth_;
  const TrialScoring scoring_;
  const FoldedRows& rows_;
  DocumentTicks ticks_;
  TuningTasks tasks_;
  TuneReport report_;
  BestMethod plain_, blend_;
  std::vector<std::vector<float>> blend_weights_;  ///< by fold, of the best blend's kind
  std::optional<ForwardRows> forward_;
  std::optional<LateParts> late_;
  std::optional<TaggingMethod> late_method_;  ///< that all of late_ is for
  const BestMethod* best_ = nullptr;
  std::size_t plain_place_ = 0, blend_place_ = 0;
  double least_loss_ = std::numeric_limits<double>::infinity();
  std::string doing_;
  std::uint64_t done_ = 0;
  bool finishing_ = false;
};

/// The documents that a quick tuning looks at, as if there were no others, and their mirror.
class QuickSample {
 public:
  QuickSample(const Snapshot& snapshot, const Settings& settings, const RowSet& voters,
              const TuneRequest& request)
      : rows_(drawn(voters.to_vector(), size(voters.count(), request), request.seed)),
        snapshot_(mirror_sample(snapshot.mirror(), rows_), settings) {}

  const Snapshot& snapshot() const { return snapshot_; }

  /// Those of the groups' rows that are part of it, by their new numbers.
  std::vector<std::vector<std::uint32_t>> groups(
      std::span<const std::vector<std::uint32_t>> groups) const {
    std::vector<std::vector<std::uint32_t>> result;
    for (const std::vector<std::uint32_t>& group : groups) {
      result.emplace_back();
      for (const std::uint32_t row : group) {
        const auto place = std::ranges::lower_bound(rows_, row);
        if (place != rows_.end() && *place == row)
          result.back().push_back(static_cast<std::uint32_t>(place - rows_.begin()));
      }
    }
    return result;
  }

 private:
  static std::size_t size(std::size_t voters, const TuneRequest& request) {
    constexpr double kForDoubling = 0.25;
    const auto most = static_cast<double>(request.quick_documents);
    const double doublings = std::log2(std::max(1.0, static_cast<double>(voters) / most));
    return static_cast<std::size_t>(most * (1 + kForDoubling * doublings));
  }

  const std::vector<std::uint32_t> rows_;
  const Snapshot snapshot_;
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
                const OnTuning& on_tuning, const TuneSharing& sharing) {
  const Mirror& mirror = snapshot.mirror();
  check(request, voters.count());
  LoneRank alone;
  Ranks& ranks = sharing.ranks != nullptr ? *sharing.ranks : alone;
  const std::string identity = identity_of(mirror, settings, request, voters);
  agree(ranks, mirror, request, identity);
  std::optional<Journal> journal;
  if (!sharing.journal.empty() && ranks.rank() == 0 && !(request.budget > 0))
    journal.emplace(sharing.journal, identity);
  const auto search_in = [&](const Snapshot& collection, const RowSet& voting, const auto& apart,
                             const TuneRequest& asked) {
    const std::size_t folds = std::min<std::size_t>(kFolds, voting.count());
    FoldedRows rows =
        deal_rows(voting, folds, asked.seed,
                  sample_size(asked, voting.count(), collection.mirror().labels.names.size()));
    DriftMeasure drift(collection.mirror(), voting);
    keep_apart(companions_of(collection, rows.rows, voting, drift), rows);
    keep_groups_apart(apart, rows);
    std::optional<TuneReport> report =
        MethodSearch(collection, rows, asked, on_tuning, ranks, journal ? &*journal : nullptr)
            .run();
    if (report) report->drift = drift.loss().value_or(0);
    return report;
  };
  const auto search = [&](const TuneRequest& asked) {
    if (!asked.quick || mirror.rows() <= asked.quick_documents)
      return search_in(snapshot, voters, groups, asked);
    const QuickSample sample(snapshot, settings, voters, asked);
    const Snapshot& drawn = sample.snapshot();
    return search_in(drawn, drawn.mirror().labeled, sample.groups(groups), asked);
  };
  std::optional<TuneReport> report =
      request.budget > 0 && !request.quick ? search_by_budget(request, search) : search(request);
  if (!report) {
    refuse("budget: " + std::to_string(request.budget) +
           " seconds are too few to try one method on " + std::to_string(voters.count()) +
           " documents");
  }
  report->tuning.voters = voters.count();
  report->tuning.uuid = mirror.uuid;
  report->tuning.revision = mirror.revision;
  report->tuning.smart = settings.weighting.smart;
  report->tuning.prefixes = mirror.prefixes;
  report->tuning.filter = request.filter;
  report->tuning.objective = request.objective;
  if (journal) journal->remove();
  return std::move(*report);
}

}  // namespace kindred
