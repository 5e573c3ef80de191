#include "plugin/votes/label_features.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "plugin/votes/votes.h"

namespace kindred {

namespace {

/// A label that is newer than the classifiers has the value that its share speaks for.
double linear_value(double value, double share) {
  return std::isnan(value) ? 2 * share - 1 : value;
}

}  // namespace

void fill_features(std::span<const Neighbor> neighbors, const LabelView& labels,
                   std::span<const double> cosines, std::span<const double> profiles,
                   std::span<const double> linear, FeatureRow features) {
  std::vector<double> shares(cosines.size(), 0), best(cosines.size(), 0);
  count_shares(neighbors, labels, kFeaturePower, shares);
  find_best(neighbors, labels, best);
  for (std::size_t label = 0; label < cosines.size(); ++label) {
    float* row = features.data() + label * kLabelFeatures;
    row[kLogShare] = static_cast<float>(std::log(shares[label] + 0.01));
    row[kShare] = static_cast<float>(shares[label]);
    row[kBestSimilarity] = static_cast<float>(best[label]);
    row[kCosine] = static_cast<float>(cosines[label]);
    row[kProfile] = static_cast<float>(profiles[label]);
    row[kLinear] =
        linear.empty() ? 0 : static_cast<float>(linear_value(linear[label], shares[label]));
  }
}

}  // namespace kindred
