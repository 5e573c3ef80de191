#include "plugin/tune/cross_fit/companions.h"

#include <algorithm>
#include <cstdlib>

#include "gpu/workers.h"
#include "plugin/tune/learning/weighed_rows.h"

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

/// Moves the companions out of what is most similar to a row. Returns how many are left.
std::size_t take_companions(const Mirror& mirror, std::uint32_t row, std::span<Neighbor> nearest,
                            Companions& companions) {
  std::size_t kept = 0;
  for (const Neighbor& neighbor : nearest) {
    if (!are_companions(mirror, row, neighbor)) {
      nearest[kept++] = neighbor;
      continue;
    }
    companions.rows.push_back(neighbor.row);
    if (neighbor.row < row && neighbor.similarity >= kNearDuplicate) companions.is_repeated = true;
  }
  return kept;
}

}  // namespace

std::vector<Companions> companions_of(const Snapshot& snapshot, std::span<const std::uint32_t> rows,
                                      const RowSet& voters, DriftMeasure& drift) {
  std::vector<Companions> companions(rows.size());
  const std::size_t threads = snapshot.voting().threads();
  const auto find_some = [&](std::size_t task) {
    const std::size_t begin = task * kCompanionsAtOnce;
    const auto batch = rows.subspan(begin, std::min(kCompanionsAtOnce, rows.size() - begin));
    const Queries queries = weighed_rows(batch, threads, [&](std::uint32_t row, Queries& some) {
      snapshot.weigh_row(row, snapshot.weighting(), some);
    });
    std::vector<Neighbor> found = snapshot.backend().nearest(queries, kMostSimilar, &voters);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::span<Neighbor> nearest = std::span(found).subspan(i * kMostSimilar, kMostSimilar);
      const std::size_t kept =
          take_companions(snapshot.mirror(), batch[i], nearest, companions[begin + i]);
      drift.add(batch[i], nearest.first(kept));
    }
  };
  for_each_task(number_of_chunks(rows.size(), kCompanionsAtOnce), threads, threads, find_some);
  return companions;
}

}  // namespace kindred
