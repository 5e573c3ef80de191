#include "plugin/votes/combiner.h"

#include "plugin/votes/votes.h"

namespace kindred {

namespace {

constexpr std::array<LabelFeature, 4> kLeads = {kCosine, kBestSimilarity, kProfile, kLinear};
static_assert(Combiner::kCoefficients == kLabelFeatures + kLeads.size());

}  // namespace

void expand(std::span<const float> features, std::vector<CombinerRow>& rows) {
  std::array<Largest<float>, kLeads.size()> largest;
  for (std::size_t label = 0; label < rows.size(); ++label) {
    for (std::size_t i = 0; i < kLeads.size(); ++i)
      largest[i].add(features[label * kLabelFeatures + kLeads[i]]);
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

double soften(std::span<double> z) {
  const double most = *std::max_element(z.begin(), z.end());
  double sum = 0;
  for (double& value : z) sum += value = std::exp(value - most);
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
  for (std::size_t l = 0; l < rows.size(); ++l) probabilities[l] = dot(b, rows[l]);
  if (single_label) {
    soften(probabilities);
    return;
  }
  Largest<double> largest;
  for (const double z : probabilities) largest.add(z);
  for (double& p : probabilities) p = as_probability(calibration.corrected(p, largest.lead(p)));
}

}  // namespace kindred
