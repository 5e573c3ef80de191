#include "plugin/votes/hierarchy_model.h"

#include <algorithm>
#include <cmath>

namespace kindred {

template <typename Probability>
std::vector<KinOnShortlist> kin_of(const LabelHierarchy& hierarchy,
                                   std::span<const std::uint32_t> labels,
                                   std::span<const Probability> probabilities) {
  std::vector<KinOnShortlist> kin(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (const std::uint32_t broader : hierarchy.above(labels[i])) {
      const auto found = std::ranges::lower_bound(labels, broader);
      if (found == labels.end() || *found != broader) continue;

      const auto other = static_cast<std::size_t>(found - labels.begin());
      kin[i].above = std::max<double>(kin[i].above, probabilities[other]);
      kin[other].below = std::max<double>(kin[other].below, probabilities[i]);
    }
  }
  return kin;
}

double HierarchyModel::corrected(double probability, const KinOnShortlist& kin) const {
  const double shift = below * kin.below + above * kin.above;
  if (shift == 0 || !(probability > 0) || !(probability < 1)) return probability;
  const double odds = probability / (1 - probability) * std::exp(shift);
  return odds / (1 + odds);
}

template <typename Probability>
void HierarchyModel::correct(const LabelHierarchy& hierarchy, std::span<const std::uint32_t> labels,
                             std::span<Probability> probabilities) const {
  if (!is_used()) return;
  const std::vector<KinOnShortlist> kin = kin_of<Probability>(hierarchy, labels, probabilities);
  for (std::size_t i = 0; i < labels.size(); ++i)
    probabilities[i] = static_cast<Probability>(corrected(probabilities[i], kin[i]));
}

template std::vector<KinOnShortlist> kin_of(const LabelHierarchy&, std::span<const std::uint32_t>,
                                            std::span<const float>);
template void HierarchyModel::correct(const LabelHierarchy&, std::span<const std::uint32_t>,
                                      std::span<float>) const;
template void HierarchyModel::correct(const LabelHierarchy&, std::span<const std::uint32_t>,
                                      std::span<double>) const;

}  // namespace kindred
