#pragma once

#include <span>

#include "plugin/class_sums.h"
#include "plugin/snapshot.h"
#include "plugin/tagging_rule.h"

namespace kindred {

/// Adds to a classification what the request wants to know of its making: the neighbors that voted,
/// and for each tag who voted for it and what made them near.
void explain(const Snapshot& snapshot, const TaggingRule& rule, const ClassifyRequest& request,
             const SparseVector& query, std::span<const Neighbor> neighbors,
             Classification& result);

}  // namespace kindred
