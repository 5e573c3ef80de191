#pragma once

#include <xapian.h>
#include <span>
#include <vector>

#include "gpu/document_set.h"
#include "gpu/knn/backend.h"
#include "plugin/classify/decision_rule.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/votes/classes/class_sums.h"

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
