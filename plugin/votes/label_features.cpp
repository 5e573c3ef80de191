#include "plugin/votes/label_features.h"

#include <utility>

#include "plugin/votes/largest.h"

namespace kindred {
namespace {

constexpr std::array<LabelFeature, kLeads> kLeading = {kCosine, kBestSimilarity, kProfile, kLinear};
constexpr std::array<std::pair<LabelFeature, LabelFeature>, kProducts> kFactors = {
    {{kCosine, kProfile}, {kLogShare, kNamed}}};

}  // namespace

void expand(std::span<const float> features, std::vector<CombinerRow>& rows) {
  // The largest values over all labels, by which others are behind.
  std::array<Largest<float>, kLeads> largest;
  for (std::size_t label = 0; label < rows.size(); ++label) {
    const float* own = features.data() + label * kLabelFeatures;
    for (std::size_t i = 0; i < kLeads; ++i) largest[i].add(own[kLeading[i]]);
  }

  for (std::size_t label = 0; label < rows.size(); ++label) {
    const float* from = features.data() + label * kLabelFeatures;

    CombinerRow& row = rows[label];
    row[0] = 1;
    for (std::size_t f = 0; f < kLabelFeatures; ++f) row[1 + f] = from[f];
    for (std::size_t i = 0; i < kProducts; ++i)
      row[1 + kLabelFeatures + i] =
          static_cast<double>(from[kFactors[i].first]) * from[kFactors[i].second];
    for (std::size_t i = 0; i < kLeads; ++i)
      row[1 + kLabelFeatures + kProducts + i] = largest[i].lead(from[kLeading[i]]);
  }
}

}  // namespace kindred
