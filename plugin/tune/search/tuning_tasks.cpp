#include "plugin/tune/search/tuning_tasks.h"

#include <algorithm>
#include <utility>

#include "gpu/workers.h"
#include "plugin/tune/trials/trial_votes.h"
#include "plugin/votes/label_feature.h"

namespace kindred {
namespace {

constexpr std::size_t kClassifierDocuments = 50000,
                      kClassifierDocumentsIfQuick = 12000;  // documents, about
constexpr std::size_t kLearningPart = 1000;                 // documents of a task
constexpr std::size_t kCorrectingDocuments = 15000, kCorrectingDocumentsIfQuick = 12000;
constexpr std::size_t kRoom = std::size_t{4} << 30;  // bytes, for all tasks at once

/// What the trial with most documents takes.
std::size_t feature_bytes(std::span<const MethodTrial> trials) {
  std::size_t floats = 0;
  for (const MethodTrial& trial : trials)
    floats = std::max(floats, trial.truth->documents * trial.truth->labels * (kLabelFeatures + 2));
  return floats * sizeof(float);
}

}  // namespace

TuningTasks::TuningTasks(const Snapshot& snapshot, const FoldedRows& rows,
                         const TuneRequest& request, std::shared_ptr<const CountsInOrders> counts,
                         DocumentTicks& ticks)
    : snapshot_(snapshot),
      rows_(rows),
      ticks_(ticks),
      threads_(snapshot.voting().threads()),
      options_{request.keep_terms,
               request.quick ? kClassifierDocumentsIfQuick : kClassifierDocuments,
               request.quick ? kCorrectingDocumentsIfQuick : kCorrectingDocuments,
               threads_,
               &learning_,
               std::move(counts)},
      fit_(snapshot, rows, options_, ticking()) {}

CrossFit::Tick TuningTasks::ticking() const {
  return [&ticks = ticks_](std::uint64_t documents) { ticks.tick(documents); };
}

/// Calls work(task) for each task, with as many at once as there are threads and room for.
void TuningTasks::run(std::size_t tasks, std::size_t bytes_of_each,
                      const std::function<void(std::size_t task)>& work) {
  const std::size_t fitting =
      std::max<std::size_t>(1, kRoom / std::max<std::size_t>(1, bytes_of_each));
  ticks_.forget();
  for_each_task(tasks, std::min(fitting, threads_), threads_, work);
  ticks_.tell();
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
  std::vector<std::vector<Neighbor>> found(number_of_chunks(documents.size(), kLearningPart));
  run(found.size(), kLearningPart * CrossFit::kCandidates * sizeof(Neighbor),
      [&](std::size_t task) { found[task] = fit_.learning_candidates(part_of(task)); });
  std::vector<Neighbor> all;
  for (const std::vector<Neighbor>& part : found) all.insert(all.end(), part.begin(), part.end());
  learning_ = {CrossFit::kCandidates, documents, std::move(all)};
}

std::size_t TuningTasks::bytes_of_weights() const {
  return snapshot_.mirror().counts.nonzeros() * sizeof(double);
}

/// The weights that serve all folds, where it takes to learn once.
void TuningTasks::learn_once(std::span<const TermWeightKind> kinds, std::span<LeaveOneOut> found) {
  if (fit_.learning_parts() > 1 || !found.front().weights.front().empty()) return;
  run(kinds.size(), bytes_of_weights(), [&](std::size_t task) {
    const std::size_t kind = kinds.size() - 1 - task;
    found[kind].weights.front() = fit_.learn_weights(kinds[kind], 0);
  });
}

void TuningTasks::leave_one_out(std::span<const TermWeightKind> kinds, std::size_t k,
                                FoldRange range, std::span<LeaveOneOut> found) {
  if (std::ranges::find(kinds, TermWeightKind::kLearned) != kinds.end()) find_learning_neighbors();
  learn_once(kinds, found);
  const std::size_t folds = range.last - range.first;
  // Learned weights take longest, and come last in most requests: the last kinds come first.
  const auto kind_of = [&](std::size_t task) { return kinds.size() - 1 - task / folds; };
  const auto fold_of = [&](std::size_t task) { return range.first + task % folds; };
  std::vector<ClassifiedFold> classified(kinds.size() * folds);
  run(classified.size(), bytes_of_weights(), [&](std::size_t task) {
    const std::size_t part = fit_.part_of(fold_of(task));
    std::vector<float> weights = found[kind_of(task)].weights[part];
    if (weights.empty()) weights = fit_.learn_weights(kinds[kind_of(task)], part);
    classified[task] = fit_.classify(std::move(weights), k, fold_of(task));
  });
  for (std::size_t task = 0; task < classified.size(); ++task)
    fit_.gather(fold_of(task), std::move(classified[task]), found[kind_of(task)]);
}

std::vector<std::vector<double>> TuningTasks::losses(std::span<const MethodTrial> trials) {
  std::vector<std::vector<double>> found(trials.size());
  run(trials.size(), feature_bytes(trials), [&](std::size_t task) {
    const auto& [method, known, truth] = trials[task];
    const LabelView labels = snapshot_.mirror().labels.view();
    const std::vector<float> features = trial_features(method, *known, labels, *truth, threads_);
    FittedCombiner fitted = fit_combiner(
        truth->single_label(),
        {truth->documents, truth->labels, features, truth->begin, truth->label}, threads_);
    fitted.combiner.calibration = {};
    found[task] = combined_losses(fitted.combiner, features, *truth, threads_);
  });
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

std::vector<MeasuredMethod> TuningTasks::measure(std::span<const MethodTrial> trials) {
  std::vector<MeasuredMethod> found(trials.size());
  run(trials.size(), feature_bytes(trials),
      [&](std::size_t task) { found[task] = measured(trials[task]); });
  return found;
}

/// The longest tasks come first.
LateParts TuningTasks::late_parts(const TaggingMethod& method, const LeaveOneOut& known,
                                  const std::optional<ForwardRows>& forward) {
  LateParts late;
  std::vector<std::function<void()>> parts;
  if (forward) {
    parts.emplace_back([&] {
      late.latest = classify_forward(snapshot_, forward->latest, method, true, options_, ticking());
    });
  }
  parts.emplace_back([&] { late.weights = fit_.fit(method.term_weights, rows_.voters); });
  std::vector<std::vector<float>> compared(fit_.learning_parts());
  for (std::size_t part = 0; part < compared.size(); ++part)
    parts.emplace_back([&, part] { compared[part] = fit_.compare_linear(known, part); });
  run(parts.size(), 3 * bytes_of_weights(), [&](std::size_t task) { parts[task](); });
  for (std::size_t part = 0; part < compared.size(); ++part)
    fit_.gather_linear(part, compared[part], late.linear);
  return late;
}

}  // namespace kindred
