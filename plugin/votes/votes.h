#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "config/api.h"
#include "gpu/knn/backend.h"
#include "plugin/mirror/document_segment.h"
#include "plugin/votes/combiner.h"

namespace kindred {

/// How a document's labels are decided, by its neighbors or by each label as a whole.
enum class VoteKind {
  kMajority,    ///< share of the k neighbors (Bresler and Gil; plain k-NN)
  kSimilarity,  ///< share of the neighbors' similarities (Yang and Liu 1999)
  kBest,        ///< the best similarity of each label's documents (Veronese et al.)
  kNearest,     ///< the labels of the nearest neighbor, with its similarity
  kPrototype,   ///< as kBest, but only documents chosen as prototypes vote
  kCentroid,    ///< cosine to the sum of the label's documents (Rocchio)
  kProfile,  ///< complement log-odds of the label's documents (Rennie et al. 2003), as 1/(1+e^-x)
  kBlend,    ///< probability from all of these, with coefficients that `kindred tune` fits
  kUnit,     ///< share of the documents that lie on the map around the document's unit
             ///< (plugin/classify/unit_voters.h)
};

/// The names in settings, the C ABI and the program.
/// @throws Error kInvalidArgument that lists the known names.
KINDRED_API VoteKind vote_kind(std::string_view name);
KINDRED_API std::string_view vote_name(VoteKind kind);

/// The neighbors that VoteKind::kBlend looks at.
inline constexpr std::size_t kBlendNeighbors = 45;

/// True for votes that need sums over each label's documents (ClassSums).
bool needs_class_sums(VoteKind kind);

/// The power of its similarity by which a neighbor counts in a vote; 0 counts heads.
int similarity_power(VoteKind kind);

/// Sets shares[l], which must be 0, to the share that neighbors with label l have of the sum of all
/// neighbors' similarities to this power. Sums are in the order of the
/// neighbors, which end at the first kNoRow.
void count_shares(std::span<const Neighbor> neighbors, const RowLabels& labels, int power,
                  std::span<double> shares);

/// Raises best[l] to the largest similarity of a neighbor that has label l, if it is lower.
void find_best(std::span<const Neighbor> neighbors, const RowLabels& labels,
               std::span<double> best);

/// The logistic function, 1 / (1 + e^-z).
double as_probability(double z);

/// similarity^power, power >= 0.
double raised(double similarity, int power);

/// Row-major [labels, kLabelFeatures]. Floats, so that millions of them fit in memory.
using FeatureRow = std::span<float>;

/// The power of the similarity in kShare.
inline constexpr int kFeaturePower = 3;

/// Writes the features of one document. `neighbors` end at the first kNoRow; cosines, profiles and
/// linear have one value for each label; linear may be empty, and a NaN in
/// it stands for 2 share - 1.
void fill_features(std::span<const Neighbor> neighbors, const RowLabels& labels,
                   std::span<const double> cosines, std::span<const double> profiles,
                   std::span<const double> linear, FeatureRow features);

}  // namespace kindred
