#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/knn/backend.h"
#include "plugin/classify/decision_rule.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/votes/classes/class_sums.h"

namespace kindred {

/// The nearest voters of each query: [queries, k]. A short list ends in kNoRow.
struct VotingNeighbors {
  std::size_t k = 0;
  std::vector<Neighbor> found;
  std::span<const Neighbor> of(std::size_t query) const {
    return std::span(found).subspan(query * k, k);
  }
};

/// The k nearest voters of each query, without those below rule.min_similarity. `own_rows`: the row
/// of each query, which does not vote, or Neighbor::kNoRow.
VotingNeighbors find_voters(const Backend& backend, const QueryView& queries,
                            const DecisionRule& rule, const RowSet& voters,
                            std::span<const std::uint32_t> own_rows);

/// Takes the vote for one query after the other. For one thread.
class LabelScoring {
 public:
  /// All are borrowed. `sums`: of the voters; may be null if the vote does not need them.
  LabelScoring(const Snapshot& snapshot, const DecisionRule& rule, const ClassSums* sums,
               const RowSet& voters);

  /// The score of every label for one query: [labels]. `excluded`: the row of the query, or
  /// Neighbor::kNoRow.
  std::span<const double> score(const SparseVector& query, std::span<const Neighbor> neighbors,
                                std::uint32_t excluded);

 private:
  void compare_with_labels(const SparseVector& query, std::uint32_t excluded);
  std::span<const double> linear_values(const SparseVector& query, std::uint32_t excluded);
  void blend(std::span<const Neighbor> neighbors, std::span<const double> linear);

  const Snapshot& snapshot_;
  const DecisionRule& rule_;
  const ClassSums* sums_;
  const RowSet& voters_;
  std::vector<double> scores_, cosines_, profiles_, linear_;
  std::vector<float> features_, ordered_features_;
  std::vector<double> ordered_scores_;
};

}  // namespace kindred
