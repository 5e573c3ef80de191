#pragma once

#include <xapian.h>
#include <optional>
#include <span>
#include <vector>

#include "gpu/document_set.h"
#include "gpu/knn/backend.h"
#include "plugin/classify/decision_rule.h"
#include "plugin/classify/ranked_labels.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/vocabulary/label_hierarchy.h"
#include "plugin/votes/classes/class_sums.h"
#include "plugin/votes/classes/label_comparison.h"
#include "plugin/votes/classes/shortlist.h"
#include "plugin/votes/neighbor_votes.h"

namespace kindred {

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
  /// `hierarchy`: of the labels; null if no label is above another.
  LabelScoring(const Snapshot& snapshot, const DecisionRule& rule, const ClassSums* sums,
               const DocumentSet& voters, const LabelHierarchy* hierarchy);

  /// The labels that have a score above 0 for one query, until the next call. None has it unless
  /// one of its voters has a term of the query. `excluded`: the document of the query, or
  /// kNoDocument. `few`, `named`: as ListedDocument.
  std::span<const LabelScore> score(const SparseVector& query, std::span<const Neighbor> neighbors,
                                    Xapian::docid excluded, const std::vector<Neighbor>* few,
                                    std::span<const NamedLabel> named);

 private:
  void count_neighbors(std::span<const Neighbor> neighbors);
  void compare_with_labels(const SparseVector& query, const LeftOut* left_out);
  void blend(ListedDocument document, Xapian::docid excluded);

  const Snapshot& snapshot_;
  const DecisionRule& rule_;
  const DocumentSet& voters_;
  const LabelHierarchy* const hierarchy_;
  std::optional<NeighborVotes> votes_;         // in a vote of neighbors
  std::optional<LabelComparison> comparison_;  // in one of whole labels
  std::optional<Shortlister> shortlister_;     // in the blend
  std::vector<std::uint32_t> all_labels_;      // that are compared
  std::vector<LabelScore> scores_;
  std::vector<double> probabilities_;
};

}  // namespace kindred
