#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/backend.h"

namespace kindred {

/// What is known of a document and a label, from one weighting.
enum LabelFeature : std::size_t {
  kLogShare,        ///< ln(share + 0.01)
  kShare,           ///< of the neighbors' summed similarities to the power of 3
  kBestSimilarity,  ///< of a neighbor that has the label; 0 without one
  kCosine,          ///< to the sum of the label's documents
  kProfile,         ///< complement log-odds, see ClassSums
  kLabelFeatures
};

/// Row-major [labels, kLabelFeatures]; float, so that millions of them fit.
using FeatureRow = std::span<float>;

/// The power of the similarity in kShare.
inline constexpr double kFeaturePower = 3;

/// Writes the features of one document. `neighbors` end at the first kNoRow; cosines and profiles
/// are one value a label.
void fill_features(std::span<const Neighbor> neighbors, const LabelView& labels,
                   std::span<const double> cosines, std::span<const double> profiles,
                   FeatureRow features);

}  // namespace kindred
