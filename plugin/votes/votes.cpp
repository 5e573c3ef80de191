#include "plugin/votes/votes.h"

#include <algorithm>
#include <cmath>

#include "plugin/votes/label_features.h"

namespace kindred {

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

void count_shares(std::span<const Neighbor> neighbors, const LabelView& labels, int power,
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

void find_best(std::span<const Neighbor> neighbors, const LabelView& labels,
               std::span<double> best) {
  for (const Neighbor& neighbor : neighbors) {
    if (neighbor.row == Neighbor::kNoRow) break;
    for (const std::uint32_t label : labels.of(neighbor.row))
      best[label] = std::max<double>(best[label], neighbor.similarity);
  }
}

}  // namespace kindred
