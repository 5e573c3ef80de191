#include "plugin/votes/votes.h"

#include <algorithm>
#include <cmath>

namespace kindred {

bool needs_class_sums(VoteKind kind) {
  return kind == VoteKind::kCentroid || kind == VoteKind::kProfile || kind == VoteKind::kBlend;
}

double as_probability(double z) { return 1 / (1 + std::exp(-z)); }

double raised(double similarity, double power) {
  if (power == 0) return 1;
  if (power == 1) return similarity;
  if (power == 2) return similarity * similarity;
  if (power == 3) return similarity * similarity * similarity;
  return std::pow(similarity, power);
}

void count_shares(std::span<const Neighbor> neighbors, const LabelView& labels, double power,
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
