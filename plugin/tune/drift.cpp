#include "plugin/tune/drift.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace kindred {
namespace {

constexpr float kEarlier = 0.5F;       // the ages of those that come first
constexpr double kErrorsToExceed = 2;  // that a loss has to exceed
constexpr std::uint32_t kSamples = 8;  // of every second voter, whose mean is taken

/// True for every second row, others in each sample.
bool is_drawn(std::uint32_t row, std::uint32_t sample) {
  const std::uint32_t mixed = row * 2654435761U;  // Knuth's multiplicative hash
  return ((mixed >> (20 + sample / 2)) & 1U) == sample % 2;
}

}  // namespace

DriftMeasure::DriftMeasure(const Mirror& mirror, const RowSet& voters)
    : mirror_(mirror),
      age_(voters.rows(), 0),
      votes_([labels = mirror.labels.names.size()] { return std::make_unique<Votes>(labels, 0); }) {
  const std::size_t labels = mirror.labels.names.size();
  std::vector<std::uint32_t> count(labels, 0), before(labels, 0);
  voters.for_each([&](std::uint32_t row) {
    for (const std::uint32_t label : mirror.labels.of(row)) ++count[label];
  });
  voters.for_each([&](std::uint32_t row) {
    const auto own = mirror.labels.of(row);
    for (const std::uint32_t label : own) {
      age_[row] += static_cast<float>(before[label]) / static_cast<float>(count[label]);
      ++before[label];
    }
    age_[row] /= static_cast<float>(own.size());
  });
}

template <typename MayVote>
bool DriftMeasure::is_right(std::uint32_t row, std::span<const Neighbor> nearest,
                            MayVote&& may_vote, Votes& votes) const {
  std::uint32_t best = 0;
  for (const Neighbor& neighbor : nearest) {
    if (neighbor.row == Neighbor::kNoRow) break;
    if (neighbor.row == row || !may_vote(neighbor.row)) continue;
    for (const std::uint32_t label : mirror_.labels.of(neighbor.row)) {
      votes[label] += neighbor.similarity;
      if (votes[label] > votes[best]) best = label;
    }
  }
  const bool voted = votes[best] > 0;
  for (const Neighbor& neighbor : nearest) {
    if (neighbor.row == Neighbor::kNoRow) break;
    for (const std::uint32_t label : mirror_.labels.of(neighbor.row)) votes[label] = 0;
  }
  return voted && std::ranges::binary_search(mirror_.labels.of(row), best);
}

void DriftMeasure::add(std::uint32_t row, std::span<const Neighbor> nearest) {
  if (age_[row] < kEarlier) return;
  std::unique_ptr<Votes> votes = votes_.take();
  double at_random = 0;
  for (std::uint32_t sample = 0; sample < kSamples; ++sample) {
    const auto may_vote = [&](std::uint32_t other) { return is_drawn(other, sample); };
    const bool right = is_right(row, nearest, may_vote, *votes);
    at_random += right ? 1.0 / kSamples : 0;
  }
  const auto is_earlier = [&](std::uint32_t other) { return age_[other] < kEarlier; };
  const double loss = at_random - (is_right(row, nearest, is_earlier, *votes) ? 1 : 0);
  votes_.give_back(std::move(votes));
  const std::lock_guard lock(mutex_);
  ++documents_;
  sum_ += loss;
  squares_ += loss * loss;
}

std::optional<double> DriftMeasure::loss() const {
  if (documents_ < 2) return std::nullopt;
  const double mean = sum_ / documents_;
  const double variance = std::max(squares_ / documents_ - mean * mean, 0.0) / documents_;
  if (mean <= kErrorsToExceed * std::sqrt(variance)) return std::nullopt;
  return mean;
}

}  // namespace kindred
