#include "plugin/classify/decision_rule.h"

#include <algorithm>
#include <string>

#include "config/error.h"
#include "plugin/related/few_labels.h"
#include "plugin/votes/label_features.h"
#include "plugin/votes/votes.h"

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
  if (model.tuning() == nullptr) return false;
  const VoteKind vote = request.vote ? vote_kind(*request.vote) : VoteKind::kAuto;
  return vote == VoteKind::kAuto || vote == VoteKind::kBlend;
}

/// The vote without a tuning.
VoteKind untuned_vote(const ClassifyRequest& request, const ClassifySettings& settings,
                      const VotingModel& model) {
  const VoteKind vote = vote_kind(request.vote.value_or(settings.vote));
  if (vote != VoteKind::kAuto) return vote;

  // Few labels are told by cosines, so whoever asks for the dot product gets the plain vote.
  const bool is_cosine = model.weighting().divisor == RowDivisor::kOwnLength;
  if (is_cosine && model.voters().count() <= FewLabels::kMostVoters) return VoteKind::kFew;
  return VoteKind::kSimilarity;
}

std::size_t max_labels(const ClassifyRequest& request, const ClassifySettings& settings,
                       const VotingModel& model) {
  constexpr std::size_t kUntuned = 5;

  // The request goes before the settings, and these before the tuning.
  if (request.limit) return at_least("limit", *request.limit, 1);
  if (settings.limit > 0) return static_cast<std::size_t>(settings.limit);
  const Tuning* tuning = model.tuning().get();
  if (tuning != nullptr && tuning->max_labels > 0) return tuning->max_labels;
  return kUntuned;
}

}  // namespace

DecisionRule decision_rule(const ClassifyRequest& request, const ClassifySettings& settings,
                           const VotingModel& model) {
  // A tuning decides unless the request asks for another vote.
  const bool tuned = is_tuned(request, model);
  DecisionRule rule;

  rule.vote = tuned ? VoteKind::kBlend : untuned_vote(request, settings, model);
  rule.k = at_least("neighbors",
                    request.neighbors.value_or(tuned ? kBlendNeighbors : settings.neighbors), 1);
  if (rule.vote == VoteKind::kNearest) rule.k = 1;

  rule.min_similarity =
      checked_share("min_similarity", request.min_similarity.value_or(settings.min_similarity));

  rule.max_labels = max_labels(request, settings, model);
  rule.threshold =
      checked_share("min_confidence", request.min_confidence.value_or(settings.min_confidence));

  // The tuning's thresholds are for its own vote, and give way to one that is asked for.
  rule.is_tuned = tuned && !request.min_confidence;
  if (rule.is_tuned) {
    const Tuning& tuning = *model.tuning();
    rule.other_threshold = tuning.other_threshold;
    const bool is_one = tuning.single_label && tuning.max_labels <= 1;
    if (is_one && !request.limit) rule.max_labels = 1;
  }

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
  if (vote == VoteKind::kFew) return kFewPower;
  if (vote == VoteKind::kBlend) return kFeaturePower;
  return 1;
}

bool is_threshold_chosen(const ClassifyRequest& request, const ClassifySettings& settings) {
  return request.min_confidence || settings.min_confidence != ClassifySettings().min_confidence;
}

const std::string& prototypes_of(const ClassifyRequest& request, const ClassifySettings& settings) {
  if (request.prototypes.empty()) return settings.prototypes;
  return request.prototypes;
}

}  // namespace kindred
