#include "plugin/classify/explanation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "gpu/knn/vote.h"
#include "gpu/ratio.h"
#include "plugin/related/contributions.h"
#include "plugin/votes/votes.h"

namespace kindred {
namespace {

constexpr std::size_t kTermsShown = 10;

api::Voter make_voter(const Mirror& mirror, const Neighbor& neighbor) {
  return {mirror.id_of(neighbor.number),
          neighbor.number,
          neighbor.similarity,
          mirror.label_names_of(neighbor.number),
          {}};
}

using Parts = std::vector<api::TermContribution>;

/// Equal sums come in the order of their terms.
Parts largest_of(const std::map<std::string, double>& sums) {
  Parts terms;
  for (const auto& [term, sum] : sums) terms.push_back({term, {}, sum});
  std::ranges::stable_sort(terms, std::greater(), &api::TermContribution::contribution);
  terms.resize(std::min(terms.size(), kTermsShown));
  return terms;
}

std::span<const Neighbor> found_of(std::span<const Neighbor> neighbors) {
  const auto end = std::ranges::find(neighbors, kNoDocument, &Neighbor::number);
  return neighbors.first(static_cast<std::size_t>(end - neighbors.begin()));
}

}  // namespace

std::vector<double> voting_shares(const DecisionRule& rule, std::span<const Neighbor> neighbors) {
  // A neighbor votes with a power of its similarity; the shares sum up to 1.
  const int power = rule.similarity_power();
  std::vector<double> shares;
  double total = 0;
  for (const Neighbor& neighbor : found_of(neighbors)) {
    const double share = raised(neighbor.similarity, power);
    shares.push_back(share);
    total += share;
  }
  for (double& share : shares) share = ratio_or_zero(share, total);

  return shares;
}

void explain(const Snapshot& snapshot, const View& view, const DecisionRule& rule,
             const ClassifyRequest& request, const SparseVector& query,
             std::span<const Neighbor> neighbors, std::span<const double> shares,
             Classification& result) {
  if (!request.voters && !request.explain) return;

  const Mirror& mirror = snapshot.mirror();
  neighbors = found_of(neighbors);

  // The terms that a neighbor shares with the query are found once, for all tags that it votes for.
  std::vector<api::Voter>& voters = result.voters.emplace();
  std::vector<Parts> parts;
  for (const Neighbor& neighbor : neighbors) {
    voters.push_back(make_voter(mirror, neighbor));
    if (!request.explain) continue;
    parts.push_back(contributions(mirror, view, query, neighbor.number));
  }

  if (!request.explain) return;

  // A tag's reasons are the neighbors that have its label, and the terms that they share, each
  // weighted by the shares of the votes.
  std::vector<api::TagReason>& reasons = result.reasons.emplace();
  for (const Tag& tag : result.tags) {
    const std::uint32_t label = mirror.labels.names.find(tag.label).value();
    api::TagReason& reason = reasons.emplace_back();
    reason.label = tag.label;
    reason.threshold = rule.threshold_of(label, snapshot.voting().thresholds());

    std::map<std::string, double> sums;
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      const auto labels = mirror.labels_of(neighbors[i].number);
      if (!std::binary_search(labels.begin(), labels.end(), label)) continue;
      reason.voters.push_back({voters[i].id, shares[i]});
      for (const api::TermContribution& part : parts[i])
        sums[part.term] += shares[i] * part.contribution;
    }
    reason.terms = largest_of(sums);
  }
}

}  // namespace kindred
