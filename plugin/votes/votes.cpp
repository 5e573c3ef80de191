#include "plugin/votes/votes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "config/error.h"
#include "config/settings.h"

namespace kindred {

VoteKind vote_kind(std::string_view name) {
  const auto it = std::find(kVoteNames.begin(), kVoteNames.end(), name);
  if (it != kVoteNames.end()) return static_cast<VoteKind>(it - kVoteNames.begin());
  throw Error(Errc::kInvalidArgument,
              "vote: expected " + listed_vote_names() + " (got '" + std::string(name) + "')");
}

std::string_view vote_name(VoteKind kind) { return kVoteNames[static_cast<std::size_t>(kind)]; }

bool needs_class_sums(VoteKind kind) {
  return kind == VoteKind::kCentroid || kind == VoteKind::kProfile || kind == VoteKind::kBlend;
}

double as_probability(double z) { return 1 / (1 + std::exp(-z)); }

int similarity_power(VoteKind kind) {
  if (kind == VoteKind::kMajority) return 0;
  return kind == VoteKind::kBlend ? kFeaturePower : 1;
}

double raised(double similarity, int power) {
  double result = 1;
  for (int i = 0; i < power; ++i) result *= similarity;
  return result;
}

void count_shares(std::span<const Neighbor> neighbors, const RowLabels& labels, int power,
                  std::span<double> shares) {
  double total = 0;
  for (const Neighbor& neighbor : neighbors) {
    if (neighbor.row == Neighbor::kNoRow) break;
    const double weight = raised(neighbor.similarity, power);
    total += weight;
    for (const std::uint32_t label : labels.of(neighbor.row)) shares[label] += weight;
  }
  if (!(total > 0)) return;
  for (double& share : shares) share /= total;
}

void find_best(std::span<const Neighbor> neighbors, const RowLabels& labels,
               std::span<double> best) {
  for (const Neighbor& neighbor : neighbors) {
    if (neighbor.row == Neighbor::kNoRow) break;
    for (const std::uint32_t label : labels.of(neighbor.row))
      best[label] = std::max<double>(best[label], neighbor.similarity);
  }
}

void fill_features(std::span<const Neighbor> neighbors, const RowLabels& labels,
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
    // A label that is newer than the classifiers has the value that its share speaks for.
    const double value = linear.empty() ? 0 : linear[label];
    row[kLinear] = static_cast<float>(std::isnan(value) ? 2 * shares[label] - 1 : value);
  }
}

}  // namespace kindred
