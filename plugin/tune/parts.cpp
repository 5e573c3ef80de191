#include "plugin/tune/parts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <utility>

namespace kindred {
namespace {

constexpr std::size_t kMostSimilar = 64;
constexpr float kNearDuplicate = 0.6F;
constexpr float kSameSource = 0.3F;         // of documents that came soon after each other
constexpr std::int64_t kSoon = 32;          // docids
constexpr double kLeastOverlap = 0.6;       // of labels, where docids follow time and not subjects
constexpr double kEarlier = 0.5;            // the ages of those that come first
constexpr std::uint32_t kSamples = 8;       // of every second voter, whose mean is taken
constexpr double kLeastGain = 0.01;         // nats: the cost of saying 0.94 where 0.9 is true
constexpr double kLeastProbability = 1e-7;  // about the smallest step of a float just below 1

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

/// True for every second row, others in each sample.
bool is_drawn(std::uint32_t row, std::uint32_t sample) {
  const std::uint32_t mixed = row * 2654435761U;  // Knuth's multiplicative hash
  return ((mixed >> (20 + sample / 2)) & 1U) == sample % 2;
}

/// The log loss of each document.
std::vector<double> losses_of(const Combiner& combiner, std::span<const float> features,
                              const TrueLabels& truth, std::size_t threads) {
  const std::vector<float> scores = combined_scores(combiner, features, truth, threads);
  std::vector<double> losses(truth.documents, 0);
  for (std::size_t d = 0; d < truth.documents; ++d) {
    for (std::size_t label = 0; label < truth.labels; ++label) {
      const bool is_true = truth.has(d, label);
      if (!is_true && combiner.single_label) continue;
      const double p = scores[d * truth.labels + label];
      losses[d] -= std::log(std::max(is_true ? p : 1 - p, kLeastProbability));
    }
  }
  return losses;
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

void ClearMean::add(double of_document) {
  ++documents_;
  sum_ += of_document;
  squares_ += of_document * of_document;
}

double ClearMean::value() const {
  if (documents_ < 2) return 0;
  const double mean = sum_ / documents_;
  const double variance = std::max(squares_ / documents_ - mean * mean, 0.0) / documents_;
  return mean > 2 * std::sqrt(variance) ? mean : 0;
}

DriftMeasure::DriftMeasure(const Mirror& mirror, const RowSet& voters)
    : mirror_(mirror), age_(voters.rows(), 0), votes_(mirror.labels.names.size(), 0) {
  std::vector<double> count(votes_.size(), 0), before(votes_.size(), 0);
  voters.for_each([&](std::uint32_t row) {
    for (const std::uint32_t label : mirror.labels.of(row)) ++count[label];
  });
  voters.for_each([&](std::uint32_t row) {
    const auto own = mirror.labels.of(row);
    for (const std::uint32_t label : own) age_[row] += before[label]++ / count[label];
    age_[row] /= static_cast<double>(own.size());
  });
}

void DriftMeasure::add(std::uint32_t row, std::span<const Neighbor> nearest) {
  if (age_[row] < kEarlier) return;
  const auto is_right = [&](auto&& may_vote) {
    std::uint32_t best = 0;
    for (const Neighbor& neighbor : nearest) {
      if (!may_vote(neighbor.row)) continue;
      for (const std::uint32_t label : mirror_.labels.of(neighbor.row)) {
        votes_[label] += neighbor.similarity;
        if (votes_[label] > votes_[best]) best = label;
      }
    }
    const bool voted = votes_[best] > 0;
    std::ranges::fill(votes_, 0);
    return voted && std::ranges::binary_search(mirror_.labels.of(row), best);
  };
  double loss = is_right([&](std::uint32_t other) { return age_[other] < kEarlier; }) ? -1 : 0;
  for (std::uint32_t sample = 0; sample < kSamples; ++sample)
    if (is_right([&](std::uint32_t other) { return is_drawn(other, sample); }))
      loss += 1.0 / kSamples;
  loss_.add(loss);
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

std::optional<Combiner> fit_forward(const Combiner& known, const TrueLabels& truth,
                                    std::span<const float> features, std::size_t threads) {
  const std::size_t half = truth.documents / 2;
  const std::vector<double> before = losses_of(known, features, truth, threads);
  const std::vector<double> after =
      losses_of(recalibrated(known, truth, half, features, threads), features, truth, threads);
  ClearMean gain;
  for (std::size_t d = half; d < truth.documents; ++d) gain.add(before[d] - after[d]);
  if (gain.value() < kLeastGain) return {};
  return recalibrated(known, truth, truth.documents, features, threads);
}

}  // namespace kindred
