#include "plugin/votes/votes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "config/error.h"

namespace kindred {

VoteKind vote_kind(std::string_view name) {
  const auto it = std::find(kVoteNames.begin(), kVoteNames.end(), name);
  if (it != kVoteNames.end()) return static_cast<VoteKind>(it - kVoteNames.begin());
  throw Error(Errc::kInvalidArgument,
              "vote: expected " + listed_vote_names() + " (got '" + std::string(name) + "')");
}

std::string_view vote_name(VoteKind kind) { return kVoteNames[static_cast<std::size_t>(kind)]; }

double as_probability(double z) { return 1 / (1 + std::exp(-z)); }

double raised(double similarity, int power) {
  double result = 1;
  for (int i = 0; i < power; ++i) result *= similarity;
  return result;
}

namespace {

bool may_vote(const Neighbor& neighbor, std::uint32_t label,
              std::span<const std::uint32_t> silent) {
  return silent.empty() || silent[label] != neighbor.number;
}

}  // namespace

void count_shares(std::span<const Neighbor> neighbors, const SegmentList& mirror, int power,
                  std::span<double> shares, std::span<const std::uint32_t> silent) {
  double total = 0;
  for (const Neighbor& neighbor : neighbors) {
    if (neighbor.number == kNoDocument) break;
    const double weight = raised(neighbor.similarity, power);
    total += weight;
    for (const std::uint32_t label : mirror.labels_of_neighbor(neighbor.number))
      if (may_vote(neighbor, label, silent)) shares[label] += weight;
  }
  if (!(total > 0)) return;
  for (double& share : shares) share /= total;
}

void find_best(std::span<const Neighbor> neighbors, const SegmentList& mirror,
               std::span<double> best, std::span<const std::uint32_t> silent) {
  for (const Neighbor& neighbor : neighbors) {
    if (neighbor.number == kNoDocument) break;
    for (const std::uint32_t label : mirror.labels_of_neighbor(neighbor.number))
      if (may_vote(neighbor, label, silent))
        best[label] = std::max<double>(best[label], neighbor.similarity);
  }
}

void fill_features(std::span<const Neighbor> neighbors, const SegmentList& mirror,
                   std::span<const double> cosines, std::span<const double> profiles,
                   std::span<const double> linear, std::span<float> features,
                   std::span<const std::uint32_t> silent) {
  std::vector<double> shares(cosines.size(), 0), best(cosines.size(), 0);
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
    const double value = linear.empty() ? 0 : linear[label];
    row[kLinear] = static_cast<float>(std::isnan(value) ? 2 * shares[label] - 1 : value);
  }
}

namespace {

constexpr std::array<LabelFeature, 4> kLeads = {kCosine, kBestSimilarity, kProfile, kLinear};
static_assert(kCombinerSize == 1 + kLabelFeatures + kLeads.size());

}  // namespace

void expand(std::span<const float> features, std::vector<CombinerRow>& rows) {
  std::array<Largest<float>, kLeads.size()> largest;
  for (std::size_t label = 0; label < rows.size(); ++label) {
    const auto own = features.subspan(label * kLabelFeatures, kLabelFeatures);
    for (std::size_t i = 0; has_voters(own) && i < kLeads.size(); ++i)
      largest[i].add(own[kLeads[i]]);
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
  constexpr double kUnit = 0x1p-40;  // leaves room for 2^23 labels
  const double most = *std::max_element(z.begin(), z.end());
  std::int64_t units = 0;
  for (double& value : z) units += std::llrint((value = std::exp(value - most)) / kUnit);
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

  std::ranges::fill(probabilities, 0);
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (features[labels[i] * kLabelFeatures + kCosine] > 0) probabilities[labels[i]] = values[i];
}

}  // namespace kindred
