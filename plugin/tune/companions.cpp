#include "plugin/tune/companions.h"

#include <algorithm>
#include <cstdlib>

namespace kindred {
namespace {

constexpr std::size_t kMostSimilar = 64;
constexpr float kNearDuplicate = 0.6F;
constexpr float kSameSource = 0.3F;  // of documents that came soon after each other
constexpr std::int64_t kSoon = 32;   // docids
constexpr std::size_t kCompanionsAtOnce = 1000;

bool are_companions(const Mirror& mirror, std::uint32_t row, const Neighbor& neighbor) {
  if (neighbor.row == Neighbor::kNoRow || neighbor.row == row) return false;
  const std::int64_t docid = mirror.docids[row];
  const bool soon = std::abs(docid - std::int64_t{mirror.docids[neighbor.row]}) <= kSoon;
  return neighbor.similarity >= (soon ? kSameSource : kNearDuplicate);
}

}  // namespace

std::vector<Companions> companions_of(const Snapshot& snapshot, std::span<const std::uint32_t> rows,
                                      const RowSet& voters) {
  std::vector<Companions> companions(rows.size());
  for (std::size_t begin = 0; begin < rows.size(); begin += kCompanionsAtOnce) {
    const auto batch = rows.subspan(begin, std::min(kCompanionsAtOnce, rows.size() - begin));
    Queries queries;
    for (const std::uint32_t row : batch) snapshot.weigh_row(row, snapshot.weighting(), queries);
    const std::vector<Neighbor> found = snapshot.backend().nearest(queries, kMostSimilar, &voters);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t place = begin + i / kMostSimilar;
      if (!are_companions(snapshot.mirror(), rows[place], found[i])) continue;
      Companions& own = companions[place];
      own.rows.push_back(found[i].row);
      if (found[i].row < rows[place] && found[i].similarity >= kNearDuplicate)
        own.is_repeated = true;
    }
  }
  return companions;
}

}  // namespace kindred
