#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plugin/tune/combiner/combiner_fit.h"
#include "plugin/votes/combiner_rows.h"

namespace kindred {

/// A document and a label, as a combiner is fitted to them.
struct CombinerPair {
  std::array<float, kCombinerSize - 1> row;  ///< as expand() fills it in, without the leading 1
  float weight = 1;                          ///< how many pairs this one stands for
  bool is_true = false;                      ///< the document has the label
};

/// The pairs of one document, labels ascending. Above `kAllLabels` labels nearly all pairs are
/// alike: the label is far from the document and not its own. Then the pairs are
/// - the document's own labels;
/// - for the share, the cosine, the profile and the linear value, the `kBestLabels` labels with the largest values;
/// - of the others every `kOthersEach`-th, which stands for as many. Which ones differs from
///   document to document.
/// `features` is row-major [labels, kLabelFeatures], `truth` ascends, and `room` is working memory.
/// The pairs are added to `pairs`.
inline constexpr std::size_t kAllLabels = 128, kBestLabels = 24, kOthersEach = 16;
void add_pairs(std::size_t document, std::span<const float> features,
               std::span<const std::uint32_t> truth, std::vector<CombinerRow>& room,
               std::vector<CombinerPair>& pairs);

}  // namespace kindred
