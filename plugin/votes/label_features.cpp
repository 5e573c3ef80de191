#include "plugin/votes/label_features.h"

#include <cmath>

#include "plugin/votes/largest.h"
#include "plugin/votes/votes.h"

namespace kindred {
namespace {

constexpr std::array<LabelFeature, 4> kLeads = {kCosine, kBestSimilarity, kProfile, kLinear};
static_assert(kCombinerSize == 1 + kLabelFeatures + kLeads.size());

}  // namespace

void fill_features(std::span<const Neighbor> neighbors, const SegmentList& mirror,
                   std::span<const double> cosines, std::span<const double> profiles,
                   std::span<const double> linear, std::span<float> features,
                   std::span<const std::uint32_t> silent) {
  std::vector<double> shares(cosines.size(), 0);
  std::vector<double> best(cosines.size(), 0);
  count_shares(neighbors, mirror, kFeaturePower, shares, silent);
  find_best(neighbors, mirror, best, silent);

  for (std::size_t label = 0; label < cosines.size(); ++label) {
    float* row = features.data() + label * kLabelFeatures;
    row[kLogShare] = static_cast<float>(std::log(shares[label] + 0.01));
    row[kShare] = static_cast<float>(shares[label]);
    row[kBestSimilarity] = static_cast<float>(best[label]);
    row[kCosine] = static_cast<float>(cosines[label]);
    row[kProfile] = static_cast<float>(profiles[label]);

    // A label that is newer than the classifiers has the value that its share speaks for.
    double value = 0;
    if (!linear.empty()) value = linear[label];
    if (std::isnan(value)) value = 2 * shares[label] - 1;
    row[kLinear] = static_cast<float>(value);
  }
}

void expand(std::span<const float> features, std::vector<CombinerRow>& rows) {
  // The largest values over all labels with voters, by which others are behind.
  std::array<Largest<float>, kLeads.size()> largest;
  for (std::size_t label = 0; label < rows.size(); ++label) {
    const auto own = features.subspan(label * kLabelFeatures, kLabelFeatures);
    if (!has_voters(own)) continue;
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
