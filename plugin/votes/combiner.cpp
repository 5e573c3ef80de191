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
  std::vector<CombinerRow> rows(probabilities.size());
  expand(features, rows);

  // Labels without voters are compared with no other.
  const CombinerRow b = row();
  std::vector<std::size_t> labels;  // that have voters
  std::vector<double> values;       // of these: z, then P
  for (std::size_t l = 0; l < rows.size(); ++l) {
    if (!has_voters(features.subspan(l * kLabelFeatures, kLabelFeatures))) continue;

    labels.push_back(l);
    values.push_back(dot(b, rows[l]));
  }

  if (single_label && !values.empty()) {
    soften(values);
  } else {
    Largest<double> largest;
    for (const double z : values) largest.add(z);
    for (double& z : values) z = as_probability(calibration.corrected(z, largest.lead(z)));
  }

  // A label none of whose voters has a term of the document gets nothing.
  std::ranges::fill(probabilities, 0);
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (features[labels[i] * kLabelFeatures + kCosine] > 0) probabilities[labels[i]] = values[i];
}

}  // namespace kindred
