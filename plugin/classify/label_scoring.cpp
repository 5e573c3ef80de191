#include "plugin/classify/label_scoring.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "gpu/knn/vote.h"
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
                           const ClassSums* sums, const DocumentSet& voters,
                           const LabelHierarchy* hierarchy)
    : snapshot_(snapshot), rule_(rule), voters_(voters), hierarchy_(hierarchy) {
  const StringTable& names = snapshot.mirror().labels.names;
  if (rule.vote == VoteKind::kBlend) {
    shortlister_.emplace(*sums, snapshot.voting().linear(), *snapshot.mirror().list, names);
  } else if (rule.needs_class_sums()) {
    comparison_.emplace(*sums);
    all_labels_.resize(names.size());
    std::iota(all_labels_.begin(), all_labels_.end(), 0U);
  } else {
    votes_.emplace(names.size());
  }
}

void LabelScoring::count_neighbors(std::span<const Neighbor> neighbors) {
  votes_->count(neighbors, *snapshot_.mirror().list, rule_.similarity_power());
  const bool is_best = rule_.vote == VoteKind::kBest || rule_.vote == VoteKind::kNearest ||
                       rule_.vote == VoteKind::kPrototype;
  for (const std::uint32_t label : votes_->labels()) {
    double score = votes_->share(label);
    if (is_best) score = votes_->best(label);
    scores_.push_back({label, score});
  }
}

void LabelScoring::compare_with_labels(const SparseVector& query, const LeftOut* left_out) {
  comparison_->compare(query, all_labels_, left_out);
  for (std::size_t i = 0; i < all_labels_.size(); ++i) {
    double score = comparison_->cosines()[i];
    if (score > 0 && rule_.vote == VoteKind::kProfile)
      score = as_probability(comparison_->profiles()[i]);
    scores_.push_back({all_labels_[i], score});
  }
}

void LabelScoring::blend(ListedDocument document, Xapian::docid excluded) {
  const VotingModel& model = snapshot_.voting();

  // What was learned from the document itself is taken back, as if it were not there.
  const LinearVotes* linear = model.linear();
  if (linear != nullptr && model.voters().has(excluded) && linear->learned_from(excluded))
    document.learned = snapshot_.mirror().labels_of(excluded);

  const Shortlist& list = shortlister_->list(document);
  probabilities_.resize(list.labels.size());
  model.tuning()->combiner.combine(list.features, probabilities_);
  if (hierarchy_ != nullptr)
    model.tuning()->hierarchy.correct<double>(*hierarchy_, list.labels, probabilities_);
  for (std::size_t i = 0; i < list.labels.size(); ++i) {
    const std::uint32_t label = list.labels[i];
    std::uint32_t documents = snapshot_.mirror().labels.documents[label];
    if (document.left_out != nullptr &&
        std::ranges::binary_search(document.left_out->labels, label))
      --documents;
    scores_.push_back({label, model.rare_labels().corrected(probabilities_[i], documents)});
  }
}

std::span<const LabelScore> LabelScoring::score(const SparseVector& query,
                                                std::span<const Neighbor> neighbors,
                                                Xapian::docid excluded,
                                                const std::vector<Neighbor>* few,
                                                std::span<const NamedLabel> named) {
  scores_.clear();
  if (query.terms.empty()) return scores_;  // no term of it is known
  if (votes_) {
    count_neighbors(neighbors);
    return scores_;
  }

  // A document is not compared with its own label's sum as it stands, because it is part of it.
  Queries own;
  LeftOut left_out;
  const LeftOut* without = nullptr;
  if (voters_.has(excluded)) {
    snapshot_.weigh_document(excluded, snapshot_.voting().weighting(), own);
    left_out = {{own.terms(0), own.weights(0)}, snapshot_.mirror().labels_of(excluded)};
    without = &left_out;
  }

  if (shortlister_) {
    blend({query, neighbors, without, few, named}, excluded);
  } else {
    compare_with_labels(query, without);
  }
  std::erase_if(scores_, [](const LabelScore& score) {
    return !(score.score > 0);
  });
  return scores_;
}

}  // namespace kindred
