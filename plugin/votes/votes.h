#pragma once

#include <cstdint>
#include <span>

#include "gpu/knn/backend.h"
#include "plugin/votes/tagging_method.h"

namespace kindred {

/// True for votes that need sums over each label's documents (ClassSums).
bool needs_class_sums(VoteKind kind);

/// Sets shares[l], which must be 0, to the share that neighbors with label l have of the sum of all
/// neighbors' similarities to this power. Power 0 counts heads. Sums are in the order of the
/// neighbors, which end at the first kNoRow.
void count_shares(std::span<const Neighbor> neighbors, const LabelView& labels, double power,
                  std::span<double> shares);

/// Raises best[l] to the largest similarity of a neighbor that has label l, if it is lower.
void find_best(std::span<const Neighbor> neighbors, const LabelView& labels,
               std::span<double> best);

/// The logistic function, 1 / (1 + e^-z).
double as_probability(double z);

/// similarity^power. For the powers 0, 1, 2 and 3, by multiplication.
double raised(double similarity, double power);

}  // namespace kindred
