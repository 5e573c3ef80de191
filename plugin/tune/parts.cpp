#include "plugin/tune/parts.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>
#include <utility>

#include "gpu/workers.h"
#include "plugin/tune/linear_fit.h"

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

namespace {

constexpr std::size_t kManyRepeated = 2;  // one row in so many

/// Shuffles by Fisher and Yates, the same on every platform.
void shuffle(std::vector<std::uint32_t>& rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t left = rows.size(); left > 1; --left)
    std::swap(rows[left - 1], rows[random() % left]);
}

}  // namespace

std::vector<std::uint32_t> drawn(std::vector<std::uint32_t> rows, std::size_t most,
                                 std::uint64_t seed) {
  if (rows.size() <= most) return rows;
  shuffle(rows, seed);
  rows.resize(most);
  std::sort(rows.begin(), rows.end());
  return rows;
}

FoldedRows deal_rows(const RowSet& voters, std::size_t folds, std::uint64_t seed,
                     std::size_t sample) {
  FoldedRows dealt;
  dealt.voters = voters;
  dealt.voting.assign(folds, voters);
  dealt.without.assign(folds, voters);
  std::vector<std::uint32_t> rows = voters.to_vector();
  shuffle(rows, seed);
  std::vector<std::uint8_t> fold(voters.rows(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t f = i % folds;
    fold[rows[i]] = static_cast<std::uint8_t>(f);
    dealt.without[f].reset(rows[i]);
  }
  if (sample > 0 && sample < rows.size()) rows.resize(sample);
  std::sort(rows.begin(), rows.end());
  for (const std::uint32_t row : rows) dealt.fold.push_back(fold[row]);
  dealt.rows = std::move(rows);
  return dealt;
}

void keep_apart(std::span<const Companions> companions, FoldedRows& rows) {
  const auto repeated = std::ranges::count(companions, true, &Companions::is_repeated);
  const bool many =
      repeated > 0 && static_cast<std::size_t>(repeated) * kManyRepeated >= companions.size();
  if (many) {
    rows.voting_on_repeated = rows.voting;
    for (const Companions& own : companions) rows.is_repeated.push_back(own.is_repeated);
  }
  for (std::size_t i = 0; i < companions.size(); ++i) {
    if (many && companions[i].is_repeated) continue;
    for (const std::uint32_t row : companions[i].rows) {
      rows.voting[rows.fold[i]].reset(row);
      rows.without[rows.fold[i]].reset(row);
    }
  }
}

void keep_groups_apart(std::span<const std::vector<std::uint32_t>> groups, FoldedRows& rows) {
  for (const std::vector<std::uint32_t>& group : groups) {
    std::set<std::uint8_t> folds;  // in which one of them is classified
    for (const std::uint32_t row : group) {
      const auto place = std::ranges::lower_bound(rows.rows, row);
      if (place != rows.rows.end() && *place == row)
        folds.insert(rows.fold[static_cast<std::size_t>(place - rows.rows.begin())]);
    }
    for (const std::uint8_t fold : folds) {
      for (const std::uint32_t row : group) {
        rows.voting[fold].reset(row);
        rows.without[fold].reset(row);
        if (!rows.voting_on_repeated.empty()) rows.voting_on_repeated[fold].reset(row);
      }
    }
  }
}

FoldedRows deal_latest(const RowSet& voters, double share, std::uint64_t seed, std::size_t sample) {
  const std::vector<std::uint32_t> rows = voters.to_vector();
  const auto later = static_cast<std::size_t>(share * static_cast<double>(rows.size()));
  const std::size_t earlier = rows.size() - later;
  FoldedRows dealt;
  dealt.voters = voters;
  for (std::size_t i = earlier; i < rows.size(); ++i) dealt.voters.reset(rows[i]);
  dealt.voting = dealt.without = {dealt.voters};
  dealt.known_rows = later > 0 ? rows[earlier] : static_cast<std::uint32_t>(voters.rows());
  dealt.rows = drawn({rows.begin() + static_cast<std::ptrdiff_t>(earlier), rows.end()},
                     sample > 0 ? sample : later, seed);
  dealt.fold.assign(dealt.rows.size(), 0);
  return dealt;
}

FoldedRows first_fold(const FoldedRows& dealt) {
  FoldedRows rows;
  for (std::size_t i = 0; i < dealt.rows.size(); ++i) {
    if (dealt.fold[i] == 0) rows.rows.push_back(dealt.rows[i]);
  }
  rows.fold.assign(rows.rows.size(), 0);
  rows.voters = dealt.without.front();
  rows.voting = rows.without = {rows.voters};
  return rows;
}

}  // namespace kindred
