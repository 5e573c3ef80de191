#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "config/settings.h"
#include "gpu/knn/backend.h"
#include "plugin/answers.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/snapshot/view.h"
#include "plugin/votes/classes/class_sums.h"
#include "plugin/votes/votes.h"

namespace kindred {

/// How the labels of a query are decided: a request in which every choice is made.
struct DecisionRule {
  VoteKind vote = VoteKind::kSimilarity;
  std::size_t k = 1;
  double min_similarity = 0;
  double threshold = 0;
  bool is_tuned = false;  ///< each label has a threshold of its own
  std::size_t max_labels = 1;
  std::vector<std::uint32_t> never;  ///< labels that are not given, ascending
  /// If set, the only label that is decided: it is given whenever its score is above 0.
  std::optional<std::uint32_t> asked{};

  /// The confidence that a label has to reach.
  double threshold_of(std::uint32_t label, const std::vector<double>& thresholds) const {
    if (is_tuned) return thresholds[label];
    return threshold;
  }
  /// True if the vote needs sums over each label's documents (ClassSums).
  bool needs_class_sums() const;
  /// The power of its similarity by which a neighbor counts; 0 counts heads.
  int similarity_power() const;
};

/// Fills in what the request leaves open, from the model's tuning or else from the settings.
/// @throws Error kInvalidArgument that names what is wrong: k < 1; max_labels < 1; a threshold
/// or min_similarity outside [0, 1]; an unknown vote; "blend" without a tuning that has chosen it;
/// "prototype" without a query.
DecisionRule decision_rule(const ClassifyRequest& request, const ClassifySettings& settings,
                           const VotingModel& model);

/// The query for the prototypes: that of the request, or else that of the settings.
const std::string& prototypes_of(const ClassifyRequest& request, const ClassifySettings& settings);

/// A label and its score, and whether it becomes a tag.
struct RankedLabel {
  std::uint32_t label = 0;
  double score = 0;
  bool given = false;
};

/// Ranks the labels with a score above 0, by score descending, then as in `order`, and decides
/// which are given. scores[l] is the score of label l. `order`: the labels that there are, as ties
/// between them end (LabelTable::order). `thresholds`: those of the model. `free`: labels,
/// ascending, that do not count toward the number of tags; the caller withholds them.
std::vector<RankedLabel> decide(const DecisionRule& rule, std::span<const double> scores,
                                std::span<const std::uint32_t> order,
                                const std::vector<double>& thresholds,
                                std::span<const std::uint32_t> free = {});

/// The share of all votes that each neighbor has, in the neighbors' order, which ends at the first
/// kNoDocument.
std::vector<double> voting_shares(const DecisionRule& rule, std::span<const Neighbor> neighbors);

/// Adds to a classification the explanations that the request asks for: the nearest voters, and for
/// each tag the voters that voted for it and the terms that made them near. `shares`: one for each
/// of the neighbors.
void explain(const Snapshot& snapshot, const DecisionRule& rule, const ClassifyRequest& request,
             const SparseVector& query, std::span<const Neighbor> neighbors,
             std::span<const double> shares, Classification& result);

/// The k nearest voters of each query, without those below rule.min_similarity: [queries, k + 1],
/// each list ends in kNoDocument. `own`: the document of each query, which does not vote, or
/// kNoDocument.
std::vector<Neighbor> find_voters(const Backend& backend, const QueryView& queries,
                                  const DecisionRule& rule, const DocumentSet& voters,
                                  std::span<const Xapian::docid> own);

/// Takes the vote for one query after the other. For one thread.
class LabelScoring {
 public:
  /// All are borrowed. `sums`: of the voters; may be null if the vote does not need them.
  LabelScoring(const Snapshot& snapshot, const DecisionRule& rule, const ClassSums* sums,
               const DocumentSet& voters);

  /// The score of every label for one query: [labels]. It is 0 for a label none of whose voters has
  /// a term of the query. `excluded`: the document of the query, or kNoDocument.
  std::span<const double> score(const SparseVector& query, std::span<const Neighbor> neighbors,
                                Xapian::docid excluded);

 private:
  void compare_with_labels(const SparseVector& query, Xapian::docid excluded);
  std::span<const double> linear_values(const SparseVector& query, Xapian::docid excluded);
  void blend(std::span<const Neighbor> neighbors, std::span<const double> linear);

  const Snapshot& snapshot_;
  const DecisionRule& rule_;
  const ClassSums* sums_;
  const DocumentSet& voters_;
  std::vector<double> scores_;
  std::vector<double> cosines_;
  std::vector<double> profiles_;
  std::vector<double> linear_;
  std::vector<float> features_;
};

}  // namespace kindred
