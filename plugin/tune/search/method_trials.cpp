#include "plugin/tune/search/method_trials.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kindred {

TaggingMethod blend_of(TermWeightKind kind, double keep_terms) {
  TaggingMethod method;
  method.term_weights = kind;
  method.keep_terms = keep_terms;
  method.vote = VoteKind::kBlend;
  method.k = kTriedNeighbors.back();
  return method;
}

void add_trials(const TuneRequest& request, TermWeightKind kind, const LeaveOneOut& known,
                const TrialTruth& truth, std::vector<MethodTrial>& trials) {
  TaggingMethod method;
  method.term_weights = kind;
  method.keep_terms = request.keep_terms;
  const auto add = [&](VoteKind vote, std::int64_t k) {
    method.vote = vote;
    method.k = k;
    trials.push_back({method, &known, &truth});
  };
  if (request.quick) return trials.push_back({blend_of(kind, request.keep_terms), &known, &truth});
  for (const VoteKind vote : {VoteKind::kBest, VoteKind::kCentroid, VoteKind::kProfile})
    add(vote, kTriedNeighbors.back());
  for (const std::int64_t k : kTriedNeighbors)
    for (const VoteKind vote : {VoteKind::kMajority, VoteKind::kSimilarity, VoteKind::kBlend})
      add(vote, k);
}

std::vector<bool> clearly_behind(const std::vector<std::vector<double>>& losses) {
  const auto total = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  };
  const std::vector<double>& least = *std::ranges::min_element(losses, {}, total);
  constexpr double kClearly = 2;  // standard errors
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

}  // namespace kindred
