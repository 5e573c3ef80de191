#pragma once

#include <cstdint>
#include <span>

#include "gpu/knn/backend.h"
#include "plugin/votes/tagging_method.h"

namespace kindred {

/// True for votes that need sums over each label's documents (ClassSums).
bool needs_class_sums(VoteKind kind);

/// Adds to shares[l] the share of the neighbors' similarities to this power that those with label l
/// have; power 0 counts heads. Sums are in the neighbors' order, which ends at the first kNoRow.
void count_shares(std::span<const Neighbor> neighbors, const LabelView& labels, double power,
                  std::span<double> shares);

/// Sets best[l] to the largest similarity of a neighbor that has label l, where there is one.
void find_best(std::span<const Neighbor> neighbors, const LabelView& labels,
               std::span<double> best);

/// The logistic function, 1 / (1 + e^-z).
double as_probability(double z);

/// s^power; without rounding of its own for 0, 1, 2 and 3.
double raised(double similarity, double power);

}  // namespace kindred
