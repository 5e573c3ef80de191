#pragma once

#include <span>
#include <vector>

#include "gpu/knn/backend.h"
#include "plugin/answers.h"
#include "plugin/classify/decision_rule.h"
#include "plugin/requests.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/votes/classes/class_sums.h"
#include "plugin/votes/classes/sparse_vector.h"

namespace kindred {

/// The share of all votes that each neighbor has, in the neighbors' order, which ends at the first
/// kNoDocument.
std::vector<double> voting_shares(const DecisionRule& rule, std::span<const Neighbor> neighbors);

/// Adds to a classification the explanations that the request asks for: the nearest voters, and for
/// each tag the voters that voted for it and the terms that made them near. Titles are left out,
/// and words of terms empty. `view`: of the query. `shares`: one for each of the neighbors.
void explain(const Snapshot& snapshot, const View& view, const DecisionRule& rule,
             const ClassifyRequest& request, const SparseVector& query,
             std::span<const Neighbor> neighbors, std::span<const double> shares,
             Classification& result);

}  // namespace kindred
