#include "plugin/votes/label_features.h"

#include "plugin/votes/largest.h"

namespace kindred {
namespace {

constexpr std::array<LabelFeature, 4> kLeads = {kCosine, kBestSimilarity, kProfile, kLinear};
static_assert(kCombinerSize == 1 + kLabelFeatures + kLeads.size());

}  // namespace

void expand(std::span<const float> features, std::vector<CombinerRow>& rows) {
  // The largest values over all labels, by which others are behind.
  std::array<Largest<float>, kLeads.size()> largest;
  for (std::size_t label = 0; label < rows.size(); ++label) {
    const float* own = features.data() + label * kLabelFeatures;
    for (std::size_t i = 0; i < kLeads.size(); ++i) largest[i].add(own[kLeads[i]]);
  }

  for (std::size_t label = 0; label < rows.size(); ++label) {
    const float* from = features.data() + label * kLabelFeatures;

    CombinerRow& row = rows[label];
    row[0] = 1;
    for (std::size_t f = 0; f < kLabelFeatures; ++f) row[1 + f] = from[f];
    for (std::size_t i = 0; i < kLeads.size(); ++i)
      row[1 + kLabelFeatures + i] = largest[i].lead(from[kLeads[i]]);
  }
}

}  // namespace kindred
