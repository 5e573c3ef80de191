#include "plugin/combiner.h"

#include <algorithm>
#include <cmath>

#include "plugin/combiner_rows.h"
#include "plugin/votes.h"

namespace kindred {

void expand(std::span<const float> features, std::vector<CombinerRow>& rows) {
  float most_cosine = 0, most_similar = 0;
  for (std::size_t label = 0; label < rows.size(); ++label) {
    most_cosine = std::max(most_cosine, features[label * kLabelFeatures + kCosine]);
    most_similar = std::max(most_similar, features[label * kLabelFeatures + kBestSimilarity]);
  }
  for (std::size_t label = 0; label < rows.size(); ++label) {
    const float* from = features.data() + label * kLabelFeatures;
    CombinerRow& row = rows[label];
    row[0] = 1;
    for (std::size_t f = 0; f < kLabelFeatures; ++f) row[1 + f] = from[f];
    row[1 + kLabelFeatures] = from[kCosine] - most_cosine;
    row[2 + kLabelFeatures] = from[kBestSimilarity] - most_similar;
  }
}

double dot(const CombinerRow& a, const CombinerRow& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kCombinerSize; ++i) sum += a[i] * b[i];
  return sum;
}

double soften(std::span<double> z) {
  const double most = *std::max_element(z.begin(), z.end());
  double sum = 0;
  for (double& value : z) sum += value = std::exp(value - most);
  for (double& value : z) value /= sum;
  return most + std::log(sum);
}

void Combiner::combine(std::span<const float> features, std::span<double> probabilities) const {
  if (probabilities.empty()) return;
  std::vector<CombinerRow> rows(probabilities.size());
  expand(features, rows);
  CombinerRow b{intercept};
  std::copy(coefficients.begin(), coefficients.end(), b.begin() + 1);
  for (std::size_t l = 0; l < rows.size(); ++l) probabilities[l] = dot(b, rows[l]);
  if (single_label) {
    soften(probabilities);
  } else {
    for (double& p : probabilities) p = as_probability(p);
  }
}

}  // namespace kindred
