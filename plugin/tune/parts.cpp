#include "plugin/tune/parts.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <utility>

namespace kindred {
namespace {

constexpr std::size_t kMostSimilar = 64;
constexpr float kNearDuplicate = 0.6F;
constexpr float kSameSource = 0.3F;    // of documents that came soon after each other
constexpr std::int64_t kSoon = 32;     // docids
constexpr double kLeastOverlap = 0.6;  // of labels, where docids follow time and not subjects

/// Shuffles by Fisher and Yates, the same on every platform.
void shuffle(std::vector<std::uint32_t>& rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t left = rows.size(); left > 1; --left)
    std::swap(rows[left - 1], rows[random() % left]);
}

bool are_companions(const Mirror& mirror, std::uint32_t row, const Neighbor& neighbor) {
  const std::int64_t docid = mirror.docids[row];
  const bool soon = std::abs(docid - std::int64_t{mirror.docids[neighbor.row]}) <= kSoon;
  return neighbor.similarity >= (soon ? kSameSource : kNearDuplicate);
}

/// Companions of some rows by their texts, and how many of the rows repeat one before them.
struct Companions {
  std::vector<std::uint32_t> rows;
  std::size_t repeated = 0;
};

Companions companions_of(const Snapshot& snapshot, std::span<const std::uint32_t> rows,
                         const RowSet& voters, DriftMeasure& drift) {
  const Queries queries =
      weighed_rows(rows, snapshot.voting().threads(), [&](std::uint32_t row, Queries& some) {
        snapshot.weigh_row(row, snapshot.weighting(), some);
      });
  const std::vector<Neighbor> found = snapshot.backend().nearest(queries, kMostSimilar, &voters);
  Companions companions;
  std::vector<Neighbor> others;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    bool is_repeated = false;
    others.clear();
    for (const Neighbor& near : std::span(found).subspan(i * kMostSimilar, kMostSimilar)) {
      if (near.row == Neighbor::kNoRow || near.row == rows[i]) continue;
      if (!are_companions(snapshot.mirror(), rows[i], near)) {
        others.push_back(near);
        continue;
      }
      companions.rows.push_back(near.row);
      is_repeated |= near.row < rows[i] && near.similarity >= kNearDuplicate;
    }
    companions.repeated += is_repeated ? 1 : 0;
    drift.add(rows[i], others);
  }
  return companions;
}

void keep_apart(std::span<const std::uint32_t> rows, Part& part) {
  for (const std::uint32_t row : rows) {
    part.voting.reset(row);
    part.teaching.reset(row);
  }
}

/// How much of the labels of two sets of rows is the same, from 0 to 1.
double overlap(const Mirror& mirror, std::span<const std::uint32_t> first,
               std::span<const std::uint32_t> second) {
  const auto shares_of = [&](std::span<const std::uint32_t> rows) {
    std::vector<double> shares(mirror.labels.names.size(), 0);
    for (const std::uint32_t row : rows)
      for (const std::uint32_t label : mirror.labels.of(row))
        shares[label] += 1 / static_cast<double>(mirror.labels.of(row).size() * rows.size());
    return shares;
  };
  const std::vector<double> a = shares_of(first), b = shares_of(second);
  double common = 0;
  for (std::size_t label = 0; label < a.size(); ++label) common += std::min(a[label], b[label]);
  return common;
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

std::vector<Part> deal(const RowSet& voters, std::size_t folds, std::size_t sample,
                       std::uint64_t seed) {
  std::vector<std::uint32_t> rows = voters.to_vector();
  shuffle(rows, seed);
  const bool few = sample * 2 <= rows.size();
  std::vector<Part> parts(folds, Part{{}, voters, voters});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Part& part = parts[i % folds];
    if (i < sample) part.rows.push_back(rows[i]);
    if (!few) part.teaching.reset(rows[i]);
  }
  for (Part& part : parts) {
    std::sort(part.rows.begin(), part.rows.end());
    for (std::size_t i = 0; few && i < sample; ++i) part.teaching.reset(rows[i]);
  }
  return parts;
}

Part latest(const Mirror& mirror, const RowSet& voters, std::size_t most, std::uint64_t seed) {
  const std::vector<std::uint32_t> all = voters.to_vector();
  const auto tenth = std::span(all).last(all.size() / 10);
  Part part{{}, voters, {}, true};
  if (overlap(mirror, all, tenth) >= kLeastOverlap)
    part.rows = drawn({tenth.begin(), tenth.end()}, most, seed);
  for (const std::uint32_t row : tenth) part.voting.reset(row);
  part.teaching = part.voting;
  return part;
}

void keep_companions_apart(const Snapshot& snapshot, const RowSet& voters,
                           std::span<const std::vector<Xapian::docid>> groups,
                           std::span<Part> parts, DriftMeasure& drift) {
  const bool share_teaching = parts.front().teaching == parts.back().teaching;
  std::vector<Companions> companions;
  std::size_t rows = 0, repeated = 0;
  for (const Part& part : parts) {
    companions.push_back(companions_of(snapshot, part.rows, voters, drift));
    rows += part.rows.size();
    repeated += companions.back().repeated;
  }
  const bool stay = repeated > 0 && repeated * 2 >= rows;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!stay) keep_apart(companions[i].rows, parts[i]);
    for (const std::vector<Xapian::docid>& group : groups) {
      std::vector<std::uint32_t> own;
      for (const Xapian::docid docid : group)
        if (const auto row = snapshot.row_of(docid)) own.push_back(*row);
      const bool is_classified = std::ranges::any_of(
          own, [&](std::uint32_t row) { return std::ranges::binary_search(parts[i].rows, row); });
      if (is_classified) keep_apart(own, parts[i]);
    }
    if (share_teaching) parts.front().teaching &= parts[i].teaching;
  }
  for (Part& part : parts)
    if (share_teaching) part.teaching = parts.front().teaching;
}

}  // namespace kindred
