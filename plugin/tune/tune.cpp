#include "plugin/tune/tune.h"

#include <algorithm>
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

[[noreturn]] void refuse(const std::string& what) { throw Error(Errc::kInvalidArgument, what); }

void check(const TuneRequest& request, std::size_t documents) {
  if (!(request.keep_terms > 0 && request.keep_terms <= 1))
    refuse("keep_terms: expected a share above 0, at most 1");
  if (request.term_weights.empty()) refuse("term weights: expected at least one");
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

}  // namespace

TuneRequest quick_tune_request() {
  TuneRequest request;
  request.term_weights = {TermWeightKind::kKl, TermWeightKind::kLearned};
  request.sample = 4000;
  request.quick = true;
  return request;
}

double expected_accuracy(const TuneReport& report) {
  return std::max(report.tuning.scores.accuracy - report.drift, 0.0);
}

TuneReport tune(const Snapshot& snapshot, const Settings& settings, const RowSet& voters,
                std::span<const std::vector<std::uint32_t>> groups, const TuneRequest& request,
                const OnTuning& on_tuning) {
  const Mirror& mirror = snapshot.mirror();
  check(request, voters.count());
  const auto search_in = [&](const Snapshot& collection, const RowSet& voting, const auto& apart) {
    const std::size_t folds = std::min<std::size_t>(kFolds, voting.count());
    FoldedRows rows =
        deal_rows(voting, folds, request.seed,
                  sample_size(request, voting.count(), collection.mirror().labels.names.size()));
    auto counts = run_beside(collection.voting().threads(), [&mirror = collection.mirror()] {
      return std::make_shared<const CountsInOrders>(mirror.counts.view());
    });
    DriftMeasure drift(collection.mirror(), voting);
    keep_apart(companions_of(collection, rows.rows, voting, drift), rows);
    keep_groups_apart(apart, rows);
    TuneReport report = MethodSearch(collection, rows, request, counts.get(), on_tuning).run();
    report.drift = drift.loss().value_or(0);
    return report;
  };
  const auto search = [&] {
    if (!request.quick || mirror.rows() <= request.quick_documents)
      return search_in(snapshot, voters, groups);
    const QuickSample sample(snapshot, settings, voters, request);
    const Snapshot& drawn = sample.snapshot();
    return search_in(drawn, drawn.mirror().labeled, sample.groups(groups));
  };
  TuneReport report = search();
  report.tuning.voters = voters.count();
  report.tuning.uuid = mirror.uuid;
  report.tuning.revision = mirror.revision;
  report.tuning.smart = settings.weighting.smart;
  report.tuning.prefixes = mirror.prefixes;
  report.tuning.filter = request.filter;
  return report;
}

}  // namespace kindred
