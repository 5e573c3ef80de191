#pragma once

#include <span>
#include <vector>

#include "plugin/classify/decision_rule.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/votes/class_sums.h"

namespace kindred {

/// Each neighbor's part of all votes, in their order; they end at the first kNoRow.
std::vector<double> voting_shares(const DecisionRule& rule, std::span<const Neighbor> neighbors);

/// Adds to a classification what the request wants to know of its making: the nearest voters,
/// and for each tag those that voted for it and what made them near. `shares`: one for each of
/// them.
void explain(const Snapshot& snapshot, const DecisionRule& rule, const ClassifyRequest& request,
             const SparseVector& query, std::span<const Neighbor> neighbors,
             std::span<const double> shares, Classification& result);

}  // namespace kindred
