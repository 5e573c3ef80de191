#include "plugin/classify/label_scoring.h"

#include <algorithm>
#include <cstddef>

#include "gpu/knn/vote.h"
#include "plugin/votes/label_features.h"
#include "plugin/votes/votes.h"

namespace kindred {

std::vector<Neighbor> find_voters(const Backend& backend, const QueryView& queries,
                                  const DecisionRule& rule, const DocumentSet& voters,
                                  std::span<const Xapian::docid> own) {
  // One neighbor more than vote is asked for, because the document itself may be among them.
  const std::size_t width = rule.k + 1;
  std::vector<Neighbor> found(queries.rows * width);
  backend.nearest(queries, width, &voters, found);

  for (std::size_t q = 0; q < queries.rows; ++q) {
    const auto neighbors = std::span(found).subspan(q * width, width);
    std::size_t kept = leave_out(neighbors, own[q], rule.k);
    while (kept > 0 && neighbors[kept - 1].similarity < rule.min_similarity) --kept;
    std::fill(neighbors.begin() + static_cast<std::ptrdiff_t>(kept), neighbors.end(), Neighbor{});
  }
  return found;
}

LabelScoring::LabelScoring(const Snapshot& snapshot, const DecisionRule& rule,
                           const ClassSums* sums, const DocumentSet& voters)
    : snapshot_(snapshot),
      rule_(rule),
      sums_(sums),
      voters_(voters),
      scores_(snapshot.mirror().labels.names.size()),
      cosines_(scores_.size()),
      profiles_(scores_.size()),
      linear_(snapshot.voting().linear() != nullptr ? scores_.size() : 0),
      features_(scores_.size() * kLabelFeatures) {}

void LabelScoring::compare_with_labels(const SparseVector& query, Xapian::docid excluded) {
  // A document is not compared with its own label's sum as it stands, because it is part of it.
  if (!voters_.has(excluded)) return sums_->compare(query, nullptr, cosines_, profiles_);
  Queries own;
  snapshot_.weigh_document(excluded, snapshot_.voting().weighting(), own);
  const LeftOut left_out{{own.terms(0), own.weights(0)}, snapshot_.mirror().labels_of(excluded)};
  sums_->compare(query, &left_out, cosines_, profiles_);
}

std::span<const double> LabelScoring::linear_values(const SparseVector& query,
                                                    Xapian::docid excluded) {
  const LinearVotes* linear = snapshot_.voting().linear();
  if (linear == nullptr) return {};

  // What was learned from the document itself is taken back, as if it were not there.
  linear->compare(query, linear_);
  if (snapshot_.voting().voters().has(excluded) && linear->learned_from(excluded))
    linear->leave_out(snapshot_.mirror().labels_of(excluded), linear_);
  return linear_;
}

void LabelScoring::blend(std::span<const Neighbor> neighbors, std::span<const double> linear) {
  fill_features(neighbors, *snapshot_.mirror().list, cosines_, profiles_, linear, features_);
  snapshot_.voting().tuning()->combiner.combine(features_, scores_);
}

std::span<const double> LabelScoring::score(const SparseVector& query,
                                            std::span<const Neighbor> neighbors,
                                            Xapian::docid excluded) {
  const SegmentList& mirror = *snapshot_.mirror().list;
  std::fill(scores_.begin(), scores_.end(), 0.0);
  if (query.terms.empty()) return scores_;  // no term of it is known
  if (rule_.needs_class_sums()) compare_with_labels(query, excluded);

  switch (rule_.vote) {
    case VoteKind::kMajority:
    case VoteKind::kSimilarity:
      count_shares(neighbors, mirror, rule_.similarity_power(), scores_);
      break;
    case VoteKind::kBest:
    case VoteKind::kNearest:
    case VoteKind::kPrototype:
      find_best(neighbors, mirror, scores_);
      break;
    case VoteKind::kCentroid:
      std::copy(cosines_.begin(), cosines_.end(), scores_.begin());
      break;
    case VoteKind::kProfile:
      for (std::size_t label = 0; label < scores_.size(); ++label)
        if (cosines_[label] > 0) scores_[label] = as_probability(profiles_[label]);
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
