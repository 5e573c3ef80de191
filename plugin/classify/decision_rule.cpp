#include "plugin/classify/decision_rule.h"

#include <algorithm>
#include <map>
#include <string>

#include "config/error.h"
#include "gpu/knn/vote.h"
#include "plugin/related/related_search.h"

namespace kindred {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& expected) {
  throw Error(Errc::kInvalidArgument, name + ": expected " + expected);
}

double checked_share(const std::string& name, double value) {
  if (value >= 0 && value <= 1) return value;
  refuse(name, "a number from 0 to 1");
}

std::size_t at_least(const std::string& name, std::int64_t value, std::int64_t low) {
  if (value >= low) return static_cast<std::size_t>(value);
  refuse(name, "at least " + std::to_string(low));
}

/// True if the request's vote is that of the model's tuning.
bool is_tuned(const ClassifyRequest& request, const VotingModel& model) {
  return model.tuning() != nullptr &&
         (!request.vote || vote_kind(*request.vote) == VoteKind::kBlend);
}

std::size_t max_labels(const ClassifyRequest& request, const ClassifySettings& settings,
                       const VotingModel& model) {
  constexpr std::size_t kUntuned = 5;

  // The request goes before the settings, and these before the tuning.
  if (request.max_labels) return at_least("max_labels", *request.max_labels, 1);
  if (settings.max_labels > 0) return static_cast<std::size_t>(settings.max_labels);
  const Tuning* tuning = model.tuning().get();
  if (tuning != nullptr && tuning->max_labels > 0) return tuning->max_labels;
  return kUntuned;
}

constexpr std::size_t kTermsShown = 10;

Voter make_voter(const Mirror& mirror, const Neighbor& neighbor) {
  return {mirror.id_of(neighbor.number), neighbor.number, neighbor.similarity,
          mirror.label_names_of(neighbor.number)};
}

using Parts = std::vector<TermContribution>;

/// Adds up the voters' parts by term, weighted by the voters' shares. Returns the largest sums.
Parts joined(const std::vector<TagVoter>& voters, const std::vector<Parts>& parts) {
  // By name, so that equal sums come in the order of terms.
  std::map<std::string, double> sums;
  for (const TagVoter& voter : voters) {
    for (const TermContribution& part : parts[voter.neighbor])
      sums[part.term] += voter.share * part.contribution;
  }

  Parts terms;
  for (const auto& [term, sum] : sums) terms.push_back({term, sum});
  std::ranges::stable_sort(terms, std::greater(), &TermContribution::contribution);
  terms.resize(std::min(terms.size(), kTermsShown));
  return terms;
}

std::span<const Neighbor> found_of(std::span<const Neighbor> neighbors) {
  const auto end = std::ranges::find(neighbors, kNoDocument, &Neighbor::number);
  return neighbors.first(static_cast<std::size_t>(end - neighbors.begin()));
}

}  // namespace

DecisionRule decision_rule(const ClassifyRequest& request, const ClassifySettings& settings,
                           const VotingModel& model) {
  // A tuning decides unless the request asks for another vote.
  const bool tuned = is_tuned(request, model);
  DecisionRule rule;

  rule.vote = tuned ? VoteKind::kBlend : vote_kind(request.vote.value_or(settings.vote));
  rule.k = at_least("k", request.k.value_or(tuned ? kBlendNeighbors : settings.k), 1);
  if (rule.vote == VoteKind::kNearest) rule.k = 1;

  rule.min_similarity =
      checked_share("min_similarity", request.min_similarity.value_or(settings.min_similarity));

  rule.max_labels = max_labels(request, settings, model);
  rule.threshold = checked_share("threshold", request.threshold.value_or(settings.threshold));

  // The tuning's thresholds are for its own vote, and give way to one that is asked for.
  rule.is_tuned = tuned && !request.threshold;
  if (rule.is_tuned && model.tuning()->single_label && !request.max_labels) rule.max_labels = 1;

  if (rule.vote == VoteKind::kBlend && !tuned)
    refuse("vote", "another than \"blend\" before 'kindred tune' has chosen it for this index");
  if (rule.vote == VoteKind::kPrototype && prototypes_of(request, settings).empty())
    refuse("prototypes", "a Xapian query of the voters, for the vote \"prototype\"");

  return rule;
}

bool DecisionRule::needs_class_sums() const {
  return vote == VoteKind::kCentroid || vote == VoteKind::kProfile || vote == VoteKind::kBlend;
}

int DecisionRule::similarity_power() const {
  if (vote == VoteKind::kMajority) return 0;
  if (vote == VoteKind::kBlend) return kFeaturePower;
  return 1;
}

const std::string& prototypes_of(const ClassifyRequest& request, const ClassifySettings& settings) {
  if (request.prototypes.empty()) return settings.prototypes;
  return request.prototypes;
}

std::vector<RankedLabel> decide(const DecisionRule& rule, std::span<const double> scores,
                                std::span<const std::uint32_t> order,
                                const std::vector<double>& thresholds,
                                std::span<const std::uint32_t> free) {
  std::vector<RankedLabel> ranked;

  // Only one label is asked about: it is given, whatever the others get.
  if (rule.asked) {
    if (scores[*rule.asked] > 0) ranked.push_back({*rule.asked, scores[*rule.asked], true});
    return ranked;
  }

  // Equal scores come in the order of names, which a stable sort keeps.
  for (const std::uint32_t label : order)
    if (scores[label] > 0) ranked.push_back({label, scores[label], false});
  std::ranges::stable_sort(ranked, std::ranges::greater{}, &RankedLabel::score);

  // The first labels that reach their thresholds are given, up to the limit. Labels that cannot be
  // given take no place of others.
  std::size_t left = rule.max_labels;
  for (RankedLabel& label : ranked) {
    if (left == 0) break;
    if (std::binary_search(rule.never.begin(), rule.never.end(), label.label)) continue;
    label.given = label.score >= rule.threshold_of(label.label, thresholds);
    const bool is_free = std::binary_search(free.begin(), free.end(), label.label);
    if (label.given && !is_free) --left;
  }

  return ranked;
}

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
  for (double& share : shares) share = total > 0 ? share / total : 0;

  return shares;
}

void explain(const Snapshot& snapshot, const DecisionRule& rule, const ClassifyRequest& request,
             const SparseVector& query, std::span<const Neighbor> neighbors,
             std::span<const double> shares, Classification& result) {
  if (!request.neighbors && !request.explain) return;

  const Mirror& mirror = snapshot.mirror();
  neighbors = found_of(neighbors);

  // The terms that a neighbor shares with the query are found once, for all tags that it votes for.
  std::vector<Parts> parts;
  for (const Neighbor& neighbor : neighbors) {
    result.neighbors.push_back(make_voter(mirror, neighbor));
    if (!request.explain) continue;
    parts.push_back(contributions(snapshot, query.terms, query.weights, neighbor.number));
  }

  if (!request.explain) return;

  // A tag's reasons are the neighbors that have its label, and the terms that they share.
  for (const Tag& tag : result.tags) {
    const std::uint32_t label = mirror.labels.names.find(tag.label).value();
    TagReason reason{tag.label, rule.threshold_of(label, snapshot.voting().thresholds()), {}, {}};
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      const auto labels = mirror.labels_of(neighbors[i].number);
      if (std::binary_search(labels.begin(), labels.end(), label))
        reason.voters.push_back({i, shares[i]});
    }

    reason.terms = joined(reason.voters, parts);
    result.reasons.push_back(std::move(reason));
  }
}

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
