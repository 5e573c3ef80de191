#include "plugin/votes/rare_labels.h"

#include <algorithm>

namespace kindred {

RareLabels::RareLabels(std::span<const std::uint32_t> documents) {
  constexpr double kAsIfMore = 10;  // where few labels are counted, they say little
  std::array<double, kMost + 2> labels{};
  for (const std::uint32_t count : documents)
    if (count < labels.size()) ++labels[count];

  factors_.fill(1);
  for (std::size_t c = 1; c <= kMost; ++c)
    factors_[c] = std::min(1.0, (labels[c + 1] + kAsIfMore) / (labels[c] + kAsIfMore));
}

double RareLabels::corrected(double probability, std::uint32_t documents) const {
  if (documents > kMost || !(probability < 1)) return probability;
  const double odds = probability / (1 - probability) * factors_[documents];
  return odds / (1 + odds);
}

}  // namespace kindred
