#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/backend.h"

namespace kindred {

/// How neighbors, or the labels as wholes, decide on a document's labels.
enum class VoteKind {
  kMajority,    ///< share of the k neighbors (Bresler and Gil; k-NN as such)
  kSimilarity,  ///< share of their similarities to a power (Yang and Liu 1999)
  kBest,        ///< the best similarity of each label's documents (Veronese et al.)
  kNearest,     ///< the labels of the nearest neighbor, with its similarity
  kPrototype,   ///< as kBest, but only documents chosen as prototypes vote
  kCentroid,    ///< cosine to the sum of the label's documents (Rocchio)
  kProfile,  ///< complement log-odds of the label's documents (Rennie et al. 2003), as 1/(1+e^-x)
  kBlend,    ///< probability from all of these, with coefficients that `kindred tune` fits
};

/// The names of the settings, the C ABI and the program.
/// @throws Error kInvalidArgument that names those that are known.
VoteKind vote_kind(std::string_view name);
std::string_view vote_name(VoteKind kind);

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
