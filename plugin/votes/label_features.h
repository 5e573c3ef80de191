#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/knn/backend.h"

namespace kindred {

/// The features of a document and a label, under one weighting.
enum LabelFeature : std::size_t {
  kLogShare,        ///< ln(share + 0.01)
  kShare,           ///< the label's share of the neighbors' similarities to the power of 3
  kBestSimilarity,  ///< the largest of a neighbor that has the label; 0 without one
  kCosine,          ///< cosine to the sum of the label's documents
  kProfile,         ///< complement log-odds, see ClassSums; minus infinity without voters
  kLinear,          ///< of the label's linear classifier, see LinearVotes; 0 where there is none
  kLabelFeatures
};

/// The power of the similarity in kShare.
inline constexpr int kFeaturePower = 3;

/// Writes the features of one document, row-major [labels, kLabelFeatures]: floats, so that
/// millions of them fit in memory. `neighbors` end at the first kNoDocument; cosines, profiles
/// and linear have one value for each label; linear may be empty, and a NaN in it stands for 2
/// share - 1. `silent`: as count_shares() takes it.
void fill_features(std::span<const Neighbor> neighbors, const SegmentList& mirror,
                   std::span<const double> cosines, std::span<const double> profiles,
                   std::span<const double> linear, std::span<float> features,
                   std::span<const std::uint32_t> silent = {});

/// True if a label has voters, by its features.
inline bool has_voters(std::span<const float> label_features) {
  return !std::isinf(label_features[kProfile]);
}

/// The numbers that a combiner weighs: 1 for the intercept, the features, and the four leads of
/// the multi-label form.
inline constexpr std::size_t kCombinerSize = 1 + kLabelFeatures + 4;
using CombinerRow = std::array<double, kCombinerSize>;

/// Fills in the row of every label of one document. `features` is row-major [rows.size(),
/// kLabelFeatures]. Labels without voters are not compared with the others.
void expand(std::span<const float> features, std::vector<CombinerRow>& rows);

}  // namespace kindred
