#include "plugin/tune/tune.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/tune/cross_fit/companions.h"
#include "plugin/tune/cross_fit/drift.h"
#include "plugin/tune/cross_fit/leave_one_out.h"
#include "plugin/tune/quick_sample.h"
#include "plugin/tune/search/method_search.h"

namespace kindred {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kMostPairs = std::size_t{1} << 23;  // (document, label) pairs in memory
constexpr std::int64_t kFirstLook = 2000;  // documents that are classified, with a budget

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

double expected_accuracy(const TuneReport& report) {
  return std::max(report.tuning.scores.accuracy - report.drift, 0.0);
}

TuneReport tune(const Snapshot& snapshot, const Settings& settings, const RowSet& voters,
                std::span<const std::vector<std::uint32_t>> groups, const TuneRequest& request,
                const OnTuning& on_tuning) {
  const Mirror& mirror = snapshot.mirror();
  check(request, voters.count());
  const auto search_in = [&](const Snapshot& collection, const RowSet& voting, const auto& apart,
                             const TuneRequest& asked) {
    const std::size_t folds = std::min<std::size_t>(kFolds, voting.count());
    FoldedRows rows =
        deal_rows(voting, folds, asked.seed,
                  sample_size(asked, voting.count(), collection.mirror().labels.names.size()));
    auto counts = run_beside(collection.voting().threads(), [&mirror = collection.mirror()] {
      return std::make_shared<const CountsInOrders>(mirror.counts.view());
    });
    DriftMeasure drift(collection.mirror(), voting);
    keep_apart(companions_of(collection, rows.rows, voting, drift), rows);
    keep_groups_apart(apart, rows);
    std::optional<TuneReport> report =
        MethodSearch(collection, rows, asked, counts.get(), on_tuning).run();
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
  return std::move(*report);
}

}  // namespace kindred
