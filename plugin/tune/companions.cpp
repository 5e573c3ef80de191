#include "plugin/tune/companions.h"

#include <algorithm>

namespace kindred {
namespace {

constexpr std::size_t kMostSimilar = 64;
constexpr float kNearDuplicate = 0.6F;
constexpr std::size_t kCompanionsAtOnce = 1000;

}  // namespace

Companions near_duplicates(const Snapshot& snapshot, std::span<const std::uint32_t> rows,
                           const RowSet& voters) {
  Companions companions(rows.size());
  for (std::size_t begin = 0; begin < rows.size(); begin += kCompanionsAtOnce) {
    const auto batch = rows.subspan(begin, std::min(kCompanionsAtOnce, rows.size() - begin));
    Queries queries;
    for (const std::uint32_t row : batch) snapshot.weigh_row(row, snapshot.weighting(), queries);
    const std::vector<Neighbor> found = snapshot.backend().nearest(queries, kMostSimilar, &voters);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Neighbor& neighbor = found[i];
      const std::size_t place = begin + i / kMostSimilar;
      if (neighbor.row == Neighbor::kNoRow || neighbor.similarity < kNearDuplicate) continue;
      if (neighbor.row != rows[place]) companions[place].push_back(neighbor.row);
    }
  }
  return companions;
}

}  // namespace kindred
