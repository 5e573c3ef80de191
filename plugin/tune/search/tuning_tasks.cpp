#include "plugin/tune/search/tuning_tasks.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gpu/workers.h"
#include "plugin/ranks/collective.h"
#include "plugin/ranks/packed.h"
#include "plugin/tune/trials/trial_votes.h"
#include "plugin/votes/label_feature.h"

namespace kindred {
namespace {

constexpr std::size_t kClassifierDocuments = 50000,
                      kClassifierDocumentsIfQuick = 12000;  // documents, about
constexpr std::size_t kLearningPart = 1000;                 // documents of a task
constexpr std::size_t kCorrectingDocuments = 15000, kCorrectingDocumentsIfQuick = 12000;
constexpr std::size_t kRoom = std::size_t{4} << 30;  // bytes, for all tasks of a rank at once
constexpr std::size_t kThreadsForMore = 4;  // of all ranks, to compute what may not be needed

std::string packed(const ClassifiedFold& fold) {
  std::string bytes;
  pack(fold.weights, bytes);
  pack(fold.neighbors, bytes);
  pack(fold.cosines, bytes);
  pack(fold.profiles, bytes);
  return bytes;
}

ClassifiedFold unpacked_fold(std::string_view bytes) {
  ClassifiedFold fold;
  fold.weights = unpack<float>(bytes);
  fold.neighbors = unpack<Neighbor>(bytes);
  fold.cosines = unpack<float>(bytes);
  fold.profiles = unpack<float>(bytes);
  return fold;
}

std::string packed(const LeaveOneOut& found) {
  std::string bytes;
  pack(std::span<const std::size_t>(&found.k, 1), bytes);
  pack(found.neighbors, bytes);
  pack(found.cosines, bytes);
  pack(found.profiles, bytes);
  pack(found.linear, bytes);
  return bytes;
}

LeaveOneOut unpacked_leave_one_out(std::string_view bytes) {
  LeaveOneOut found;
  found.k = unpack<std::size_t>(bytes).at(0);
  found.neighbors = unpack<Neighbor>(bytes);
  found.cosines = unpack<float>(bytes);
  found.profiles = unpack<float>(bytes);
  found.linear = unpack<float>(bytes);
  return found;
}

std::string packed(const FittedWeights& fitted) {
  std::string bytes;
  pack(fitted.weights, bytes);
  pack(fitted.corrections, bytes);
  return bytes;
}

FittedWeights unpacked_weights(std::string_view bytes) {
  FittedWeights fitted;
  fitted.weights = unpack<double>(bytes);
  fitted.corrections = unpack<double>(bytes);
  return fitted;
}

std::string packed(const MeasuredMethod& method) {
  std::string bytes;
  pack(method.cuts, bytes);
  const std::array<double, 2> shares = {method.accuracy, method.calibration_error};
  pack(std::span<const double>(shares), bytes);
  if (method.fitted) pack(std::span<const FittedCombiner>(&*method.fitted, 1), bytes);
  return bytes;
}

std::string names_of(std::span<const TermWeightKind> kinds) {
  std::string names;
  for (const TermWeightKind kind : kinds)
    names += (names.empty() ? "" : ", ") + std::string(term_weight_name(kind));
  return names;
}

/// What the trial with most documents takes.
std::size_t feature_bytes(std::span<const MethodTrial> trials) {
  std::size_t floats = 0;
  for (const MethodTrial& trial : trials)
    floats = std::max(floats, trial.truth->documents * trial.truth->labels * (kLabelFeatures + 2));
  return floats * sizeof(float);
}

MeasuredMethod unpacked_method(std::string_view bytes) {
  MeasuredMethod method;
  method.cuts = unpack<CutTrial>(bytes);
  const std::vector<double> shares = unpack<double>(bytes);
  method.accuracy = shares.at(0);
  method.calibration_error = shares.at(1);
  if (!bytes.empty()) method.fitted = unpack<FittedCombiner>(bytes).at(0);
  return method;
}

}  // namespace

TuningTasks::TuningTasks(const Snapshot& snapshot, const FoldedRows& rows,
                         const TuneRequest& request, std::shared_ptr<const CountsInOrders> counts,
                         Ranks& ranks, Journal* journal, DocumentTicks& ticks)
    : snapshot_(snapshot),
      rows_(rows),
      ranks_(ranks),
      journal_(journal),
      ticks_(ticks),
      threads_(snapshot.voting().threads()),
      options_{request.keep_terms,
               request.quick ? kClassifierDocumentsIfQuick : kClassifierDocuments,
               request.quick ? kCorrectingDocumentsIfQuick : kCorrectingDocuments,
               threads_,
               &learning_,
               std::move(counts)},
      fit_(snapshot, rows, options_, ticking()) {
  std::array<std::int64_t, 1> threads = {static_cast<std::int64_t>(threads_)};
  if (ranks.size() > 1) add_up(ranks, threads);
  threads_of_all_ = static_cast<std::size_t>(threads[0]);
}

CrossFit::Tick TuningTasks::ticking() const {
  return [&ticks = ticks_](std::uint64_t documents) { ticks.tick(documents); };
}

/// Deals tasks, of which this rank does as many at once as it has threads and room for.
std::vector<std::string> TuningTasks::run(Tasks tasks, std::size_t bytes_of_each) {
  const std::size_t share = number_of_chunks(tasks.count, ranks_.size());
  const std::size_t fitting =
      std::max<std::size_t>(1, kRoom / std::max<std::size_t>(1, bytes_of_each));
  tasks.at_once = std::clamp<std::size_t>(std::min(share, fitting), 1, threads_);
  tasks.threads = threads_;
  ticks_.forget();
  std::vector<std::string> results = deal(ranks_, tasks, journal_);
  ticks_.tell();
  return results;
}

/// All folds, and all fits of the end, learn from the same documents and choose among the same
/// neighbors.
void TuningTasks::find_learning_neighbors() {
  if (!learning_.documents.empty()) return;
  const std::vector<std::uint32_t> documents = fit_.learning_documents();
  const auto part_of = [&](std::size_t task) {
    const std::size_t begin = task * kLearningPart;
    return std::span(documents).subspan(begin, std::min(kLearningPart, documents.size() - begin));
  };
  Tasks tasks;
  tasks.step = "neighbors to learn from";
  tasks.count = number_of_chunks(documents.size(), kLearningPart);
  tasks.work = [&](std::size_t task) {
    std::string bytes;
    pack(fit_.learning_candidates(part_of(task)), bytes);
    return bytes;
  };
  std::vector<Neighbor> all;
  for (const std::string& result :
       run(std::move(tasks), kLearningPart * CrossFit::kCandidates * sizeof(Neighbor))) {
    std::string_view bytes = result;
    const std::vector<Neighbor> found = unpack<Neighbor>(bytes);
    all.insert(all.end(), found.begin(), found.end());
  }
  learning_ = {CrossFit::kCandidates, documents, std::move(all)};
}

std::size_t TuningTasks::bytes_of_weights() const {
  return snapshot_.mirror().counts.nonzeros() * sizeof(double);
}

/// The weights that serve all folds, where it takes to learn once.
void TuningTasks::learn_once(std::span<const TermWeightKind> kinds, std::span<LeaveOneOut> found) {
  if (fit_.learning_parts() > 1 || !found.front().weights.front().empty()) return;
  Tasks tasks;
  tasks.step = "weights from documents that are not classified, " + names_of(kinds);
  tasks.count = kinds.size();
  const auto kind_of = [&](std::size_t task) { return kinds.size() - 1 - task; };
  tasks.work = [&](std::size_t task) {
    std::string bytes;
    pack(fit_.learn_weights(kinds[kind_of(task)], 0), bytes);
    return bytes;
  };
  tasks.name = [&](std::size_t task) {
    return std::string(term_weight_name(kinds[kind_of(task)]));
  };
  const std::vector<std::string> results = run(std::move(tasks), bytes_of_weights());
  for (std::size_t task = 0; task < results.size(); ++task) {
    std::string_view bytes = results[task];
    found[kind_of(task)].weights.front() = unpack<float>(bytes);
  }
}

void TuningTasks::leave_one_out(std::span<const TermWeightKind> kinds, std::size_t k,
                                FoldRange range, std::span<LeaveOneOut> found) {
  if (std::ranges::find(kinds, TermWeightKind::kLearned) != kinds.end()) find_learning_neighbors();
  learn_once(kinds, found);
  const std::size_t folds = range.last - range.first;
  Tasks tasks;
  tasks.step =
      "leave-one-out from fold " + std::to_string(range.first + 1) + ", " + names_of(kinds);
  tasks.count = kinds.size() * folds;
  // Learned weights take longest, and come last in most requests: the last kinds are dealt first.
  const auto kind_of = [&](std::size_t task) { return kinds.size() - 1 - task / folds; };
  const auto fold_of = [&](std::size_t task) { return range.first + task % folds; };
  tasks.work = [&](std::size_t task) {
    const std::size_t part = fit_.part_of(fold_of(task));
    std::vector<float> weights = found[kind_of(task)].weights[part];
    if (weights.empty()) weights = fit_.learn_weights(kinds[kind_of(task)], part);
    return packed(fit_.classify(std::move(weights), k, fold_of(task)));
  };
  tasks.name = [&](std::size_t task) {
    return std::string(term_weight_name(kinds[kind_of(task)])) + ", fold " +
           std::to_string(fold_of(task) + 1);
  };
  const std::vector<std::string> results = run(std::move(tasks), bytes_of_weights());
  for (std::size_t task = 0; task < results.size(); ++task)
    fit_.gather(fold_of(task), unpacked_fold(results[task]), found[kind_of(task)]);
}

std::string TuningTasks::name_of(const MethodTrial& trial) const {
  return std::string(term_weight_name(trial.method.term_weights)) + ", vote " +
         std::string(vote_name(trial.method.vote));
}

std::vector<std::vector<double>> TuningTasks::losses(std::span<const MethodTrial> trials) {
  Tasks tasks;
  tasks.step = "first look";
  tasks.count = trials.size();
  tasks.work = [&](std::size_t task) {
    const auto& [method, known, truth] = trials[task];
    const LabelView labels = snapshot_.mirror().labels.view();
    const std::vector<float> features = trial_features(method, *known, labels, *truth, threads_);
    FittedCombiner fitted = fit_combiner(
        truth->single_label(),
        {truth->documents, truth->labels, features, truth->begin, truth->label}, threads_);
    fitted.combiner.calibration = {};
    std::string bytes;
    pack(combined_losses(fitted.combiner, features, *truth, threads_), bytes);
    return bytes;
  };
  tasks.name = [&](std::size_t task) { return name_of(trials[task]); };
  std::vector<std::vector<double>> found;
  for (const std::string& result : run(std::move(tasks), feature_bytes(trials))) {
    std::string_view bytes = result;
    found.push_back(unpack<double>(bytes));
  }
  return found;
}

MeasuredMethod TuningTasks::measured(const MethodTrial& trial) const {
  const TrialTruth& truth = *trial.truth;
  MeasuredMethod result;
  const LabelView labels = snapshot_.mirror().labels.view();
  std::vector<float> scores;
  if (trial.method.vote == VoteKind::kBlend) {
    const std::vector<float> features =
        trial_features(trial.method, *trial.known, labels, truth, threads_);
    result.fitted =
        fit_combiner(truth.single_label(),
                     {truth.documents, truth.labels, features, truth.begin, truth.label}, threads_);
    scores = combined_scores(result.fitted->combiner, features, truth, threads_);
  } else {
    scores = trial_scores(trial.method, *trial.known, labels, truth, threads_);
  }
  const TrialScoring scoring(truth, threads_);
  result.accuracy = scoring.accuracy(scores);
  result.calibration_error = scoring.calibration_error(scores);
  result.cuts = scoring.try_cuts(scores, result.fitted ? kLeastConfidence : 0);
  return result;
}

std::vector<std::optional<MeasuredMethod>> TuningTasks::measure(
    std::span<const MethodTrial> trials, const std::function<bool()>& is_spent) {
  Tasks tasks;
  tasks.step = trials.empty() ? "" : "methods of " + std::to_string(trials[0].truth->documents);
  for (const MethodTrial& trial : trials)
    tasks.step += "," + std::string(term_weight_name(trial.method.term_weights));
  tasks.count = trials.size();
  tasks.work = [&](std::size_t task) {
    return is_spent() ? std::string() : packed(measured(trials[task]));
  };
  tasks.name = [&](std::size_t task) { return name_of(trials[task]); };
  std::vector<std::optional<MeasuredMethod>> found;
  for (const std::string& result : run(std::move(tasks), feature_bytes(trials)))
    found.push_back(result.empty() ? std::nullopt : std::optional(unpacked_method(result)));
  return found;
}

std::vector<float> TuningTasks::linear(const TaggingMethod& method, const LeaveOneOut& known) {
  return late_parts(method, known, false, std::nullopt).linear;
}

LateParts TuningTasks::late_parts(const TaggingMethod& method, const LeaveOneOut& known,
                                  const std::optional<ForwardRows>& forward) {
  return late_parts(method, known, true, forward);
}

/// The longest tasks come first.
LateParts TuningTasks::late_parts(const TaggingMethod& method, const LeaveOneOut& known,
                                  bool with_weights, const std::optional<ForwardRows>& forward) {
  struct Part {
    std::string name;
    std::function<std::string()> work;
    std::function<void(const std::string&)> take;
  };
  LateParts late;
  std::vector<Part> parts;
  const auto add_forward = [&](const char* name, const FoldedRows& rows,
                               std::optional<LeaveOneOut>& found) {
    parts.push_back(
        {name,
         [&] {
           return packed(classify_forward(snapshot_, rows, method, true, options_, ticking()));
         },
         [&found](const std::string& result) { found = unpacked_leave_one_out(result); }});
  };
  if (forward)
    add_forward("the latest documents by the earlier ones", forward->latest, late.latest);
  if (forward && threads_of_all_ >= kThreadsForMore)
    add_forward("documents drawn by chance", forward->by_chance, late.by_chance);
  if (with_weights) {
    parts.push_back({"weights of all documents",
                     [&] { return packed(fit_.fit(method.term_weights, rows_.voters)); },
                     [&](const std::string& result) { late.weights = unpacked_weights(result); }});
  }
  for (std::size_t part = 0; part < fit_.learning_parts(); ++part) {
    parts.push_back({"linear classifiers, fold " + std::to_string(part + 1),
                     [&, part] {
                       std::string bytes;
                       pack(fit_.compare_linear(known, part), bytes);
                       return bytes;
                     },
                     [&, part](const std::string& result) {
                       std::string_view bytes = result;
                       fit_.gather_linear(part, unpack<float>(bytes), late.linear);
                     }});
  }
  Tasks tasks;
  // The number of tasks depends on the threads of all ranks, so a journal of other ranks may not
  // do.
  tasks.step = std::to_string(parts.size()) + " late parts of " +
               std::string(term_weight_name(method.term_weights)) + ", k " +
               std::to_string(method.k);
  tasks.count = parts.size();
  tasks.work = [&](std::size_t task) { return parts[task].work(); };
  tasks.name = [&](std::size_t task) { return parts[task].name; };
  const std::vector<std::string> results = run(std::move(tasks), 3 * bytes_of_weights());
  for (std::size_t task = 0; task < results.size(); ++task) parts[task].take(results[task]);
  return late;
}

}  // namespace kindred
