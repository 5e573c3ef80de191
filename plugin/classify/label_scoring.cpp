#include "plugin/classify/label_scoring.h"

#include <algorithm>
#include <cmath>

#include "gpu/knn/vote.h"
#include "plugin/votes/votes.h"

namespace kindred {

VotingNeighbors find_voters(const Backend& backend, const QueryView& queries,
                            const DecisionRule& rule, const RowSet& voters,
                            std::span<const std::uint32_t> own_rows) {
  VotingNeighbors result{rule.k + 1, {}};
  result.found.resize(queries.rows * result.k);
  backend.nearest(queries, result.k, &voters, result.found);
  for (std::size_t q = 0; q < queries.rows; ++q) {
    const auto neighbors = std::span(result.found).subspan(q * result.k, result.k);
    std::size_t kept = leave_out(neighbors, own_rows[q], rule.k);
    while (kept > 0 && neighbors[kept - 1].similarity < rule.min_similarity) --kept;
    std::fill(neighbors.begin() + static_cast<std::ptrdiff_t>(kept), neighbors.end(), Neighbor{});
  }
  return result;
}

LabelScoring::LabelScoring(const Snapshot& snapshot, const DecisionRule& rule,
                           const ClassSums* sums, const RowSet& voters)
    : snapshot_(snapshot),
      rule_(rule),
      sums_(sums),
      voters_(voters),
      scores_(snapshot.mirror().labels.names.size()),
      cosines_(scores_.size()),
      profiles_(scores_.size()),
      linear_(snapshot.voting().linear() != nullptr ? scores_.size() : 0),
      features_(scores_.size() * kLabelFeatures) {}

void LabelScoring::compare_with_labels(const SparseVector& query, std::uint32_t excluded) {
  const bool voted = excluded != Neighbor::kNoRow && voters_.has(excluded);
  if (!voted) return sums_->compare(query, nullptr, cosines_, profiles_);
  Queries own;
  snapshot_.weigh_row(excluded, snapshot_.voting().weighting(), own);
  const LeftOut left_out{{own.terms(0), own.weights(0)}, snapshot_.mirror().labels.of(excluded)};
  sums_->compare(query, &left_out, cosines_, profiles_);
}

std::span<const double> LabelScoring::linear_values(const SparseVector& query,
                                                    std::uint32_t excluded) {
  const LinearVotes* linear = snapshot_.voting().linear();
  if (linear == nullptr) return {};
  linear->compare(query, linear_);
  const bool learned = excluded != Neighbor::kNoRow && snapshot_.voting().voters().has(excluded) &&
                       linear->learned_from(snapshot_.docid_of(excluded));
  if (learned) linear->leave_out(snapshot_.mirror().labels.of(excluded), linear_);
  return linear_;
}

/// The combiner compares the labels with each other, so it gets those that there are, in the order
/// of their names.
void LabelScoring::blend(std::span<const Neighbor> neighbors, std::span<const double> linear) {
  const LabelMatrix& labels = snapshot_.mirror().labels;
  fill_features(neighbors, labels.view(), cosines_, profiles_, linear, features_);
  ordered_features_.clear();
  for (const std::uint32_t label : labels.order) {
    const auto own = std::span(features_).subspan(label * kLabelFeatures, kLabelFeatures);
    ordered_features_.insert(ordered_features_.end(), own.begin(), own.end());
  }
  ordered_scores_.resize(labels.order.size());
  snapshot_.voting().tuning()->combiner.combine(ordered_features_, ordered_scores_);
  for (std::size_t i = 0; i < ordered_scores_.size(); ++i)
    scores_[labels.order[i]] = ordered_scores_[i];
}

std::span<const double> LabelScoring::score(const SparseVector& query,
                                            std::span<const Neighbor> neighbors,
                                            std::uint32_t excluded) {
  const RowLabels& labels = snapshot_.mirror().labels.view();
  std::fill(scores_.begin(), scores_.end(), 0.0);
  if (query.terms.empty()) return scores_;  // no term of it is known
  if (needs_class_sums(rule_.vote)) compare_with_labels(query, excluded);
  switch (rule_.vote) {
    case VoteKind::kMajority:
    case VoteKind::kSimilarity:
      count_shares(neighbors, labels, similarity_power(rule_.vote), scores_);
      break;
    case VoteKind::kBest:
    case VoteKind::kNearest:
    case VoteKind::kPrototype:
      find_best(neighbors, labels, scores_);
      break;
    case VoteKind::kCentroid:
      std::copy(cosines_.begin(), cosines_.end(), scores_.begin());
      break;
    case VoteKind::kProfile:
      std::transform(profiles_.begin(), profiles_.end(), scores_.begin(), as_probability);
      break;
    case VoteKind::kBlend:
      blend(neighbors, linear_values(query, excluded));
      break;
    case VoteKind::kUnit:
      break;  // Classifier takes this vote, as its voters come from a map
  }
  return scores_;
}

}  // namespace kindred
