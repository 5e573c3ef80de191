#include "plugin/classify/explanation.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "plugin/related/related_search.h"
#include "plugin/votes/label_features.h"
#include "plugin/votes/votes.h"

namespace kindred {
namespace {

constexpr std::size_t kTermsShown = 10;

Voter make_voter(const Mirror& mirror, const Neighbor& neighbor) {
  return {std::string(mirror.ids[neighbor.row]), mirror.docids[neighbor.row], neighbor.similarity,
          mirror.labels.names_of(neighbor.row)};
}

using Parts = std::vector<TermContribution>;

/// Adds up the voters' parts by term, weighted by the voters' shares. Returns the largest sums.
Parts joined(const std::vector<TagVoter>& voters, const std::vector<Parts>& parts) {
  std::map<std::string, double> sums;
  for (const TagVoter& voter : voters) {
    for (const TermContribution& part : parts[voter.neighbor])
      sums[part.term] += voter.share * part.contribution;
  }
  Parts terms;
  for (const auto& [term, sum] : sums) terms.push_back({term, sum});
  std::stable_sort(terms.begin(), terms.end(),
                   [](const auto& a, const auto& b) { return a.contribution > b.contribution; });
  terms.resize(std::min(terms.size(), kTermsShown));
  return terms;
}

std::span<const Neighbor> found_of(std::span<const Neighbor> neighbors) {
  const auto end = std::find_if(neighbors.begin(), neighbors.end(), [](const Neighbor& neighbor) {
    return neighbor.row == Neighbor::kNoRow;
  });
  return neighbors.first(static_cast<std::size_t>(end - neighbors.begin()));
}

}  // namespace

std::vector<double> voting_shares(const DecisionRule& rule, std::span<const Neighbor> neighbors) {
  const int power = similarity_power(rule.vote);
  std::vector<double> shares;
  double total = 0;
  for (const Neighbor& neighbor : found_of(neighbors))
    total += shares.emplace_back(raised(neighbor.similarity, power));
  for (double& share : shares) share = total > 0 ? share / total : 0;
  return shares;
}

void explain(const Snapshot& snapshot, const DecisionRule& rule, const ClassifyRequest& request,
             const SparseVector& query, std::span<const Neighbor> neighbors,
             std::span<const double> shares, Classification& result) {
  if (!request.neighbors && !request.explain) return;
  const Mirror& mirror = snapshot.mirror();
  const View view = snapshot.voting().view();
  neighbors = found_of(neighbors);
  std::vector<Parts> parts;
  for (const Neighbor& neighbor : neighbors) {
    result.neighbors.push_back(make_voter(mirror, neighbor));
    if (!request.explain) continue;
    parts.push_back(contributions(snapshot, view, query.terms, query.weights, neighbor.row));
  }
  if (!request.explain) return;
  for (const Tag& tag : result.tags) {
    const std::uint32_t label = mirror.labels.names.find(tag.label).value();
    TagReason reason{tag.label, rule.threshold_of(label, snapshot.voting().thresholds()), {}, {}};
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      const auto labels = mirror.labels.of(neighbors[i].row);
      if (std::binary_search(labels.begin(), labels.end(), label))
        reason.voters.push_back({i, shares[i]});
    }
    reason.terms = joined(reason.voters, parts);
    result.reasons.push_back(std::move(reason));
  }
}

}  // namespace kindred
