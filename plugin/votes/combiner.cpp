#include "plugin/votes/combiner.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "plugin/votes/largest.h"
#include "plugin/votes/votes.h"

namespace kindred {

double soften(std::span<double> z) {
  constexpr double kUnit = 0x1p-40;  // leaves room for 2^23 labels
  const double most = *std::max_element(z.begin(), z.end());

  std::int64_t units = 0;
  for (double& value : z) {
    value = std::exp(value - most);
    units += std::llrint(value / kUnit);
  }

  const double sum = static_cast<double>(units) * kUnit;
  for (double& value : z) value /= sum;
  return most + std::log(sum);
}

CombinerRow Combiner::row() const {
  CombinerRow b{intercept};
  std::ranges::copy(coefficients, b.begin() + 1);
  return b;
}

void Combiner::combine(std::span<const float> features, std::span<double> probabilities) const {
  if (probabilities.empty()) return;
  std::vector<CombinerRow> rows(probabilities.size());
  expand(features, rows);

  const CombinerRow b = row();
  std::ranges::transform(rows, probabilities.begin(), [&](const CombinerRow& own) {
    return dot(b, own);
  });

  if (single_label) {
    soften(probabilities);
  } else {
    Largest<double> largest;
    for (const double z : probabilities) largest.add(z);
    for (double& z : probabilities) z = as_probability(calibration.corrected(z, largest.lead(z)));
  }

  // A label none of whose documents has a term of this one gets nothing.
  for (std::size_t label = 0; label < rows.size(); ++label)
    if (!(features[label * kLabelFeatures + kCosine] > 0)) probabilities[label] = 0;
}

}  // namespace kindred
