#pragma once

#include <cstdint>
#include <span>

#include "gpu/knn/backend.h"
#include "plugin/votes/tagging_method.h"

namespace kindred {

/// True for votes that need sums over each label's documents (ClassSums).
bool needs_class_sums(VoteKind kind);

/// The power of its similarity by which a neighbor counts in a vote; 0 counts heads.
int similarity_power(VoteKind kind);

/// Sets shares[l], which must be 0, to the share that neighbors with label l have of the sum of all
/// neighbors' similarities to this power. Sums are in the order of the
/// neighbors, which end at the first kNoRow.
void count_shares(std::span<const Neighbor> neighbors, const LabelView& labels, int power,
                  std::span<double> shares);

/// Raises best[l] to the largest similarity of a neighbor that has label l, if it is lower.
void find_best(std::span<const Neighbor> neighbors, const LabelView& labels,
               std::span<double> best);

/// The logistic function, 1 / (1 + e^-z).
double as_probability(double z);

/// similarity^power, power >= 0.
double raised(double similarity, int power);

}  // namespace kindred
