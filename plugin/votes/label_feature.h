#pragma once

#include <cstddef>

namespace kindred {

/// The features of a document and a label, under one weighting.
enum LabelFeature : std::size_t {
  kLogShare,        ///< ln(share + 0.01)
  kShare,           ///< the label's share of the neighbors' similarities to the power of 3
  kBestSimilarity,  ///< the largest of a neighbor that has the label; 0 without one
  kCosine,          ///< cosine to the sum of the label's documents
  kProfile,         ///< complement log-odds, see ClassSums
  kLinear,          ///< of the label's linear classifier, see LinearVotes; 0 where there is none
  kLabelFeatures
};

}  // namespace kindred
