#pragma once

#include <cstddef>

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

}  // namespace kindred
