#include "plugin/evaluate/confusions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>

namespace kindred {

std::vector<Confusion> worst_confusions(const ConfusionMatrix& matrix) {
  const std::size_t labels = matrix.labels.size();
  std::vector<Confusion> found;
  for (std::size_t row = 0; row < labels; ++row) {
    const auto& counts = matrix.counts[row];
    const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});

    for (std::size_t column = 0; column < counts.size(); ++column) {
      if (column == row || counts[column] == 0) continue;

      Confusion confusion{matrix.labels[row], {}, counts[column], 0};
      if (column < labels) confusion.taken_for = matrix.labels[column];
      confusion.share = static_cast<double>(counts[column]) / static_cast<double>(all);
      found.push_back(std::move(confusion));
    }
  }

  std::ranges::sort(found, [](const Confusion& a, const Confusion& b) {
    return std::tie(b.documents, b.share, a.label, a.taken_for) <
           std::tie(a.documents, a.share, b.label, b.taken_for);
  });
  return found;
}

}  // namespace kindred
