#include "plugin/tune/drift.h"

#include <algorithm>
#include <cstdint>

namespace kindred {
namespace {

constexpr double kEarlier = 0.5;       // the ages of those that come first
constexpr std::uint32_t kSamples = 8;  // of every second voter, whose mean is taken

/// True for every second place, others in each sample.
bool is_drawn(std::uint32_t place, std::uint32_t sample) {
  const std::uint32_t mixed = place * 2654435761U;  // Knuth's multiplicative hash
  return ((mixed >> (20 + sample / 2)) & 1U) == sample % 2;
}

}  // namespace

DriftMeasure::DriftMeasure(const Mirror& mirror, const DocumentSet& voters)
    : mirror_(mirror), age_(mirror.list->places(), 0), votes_(mirror.labels.names.size(), 0) {
  const std::vector<Xapian::docid> docids = voters.numbers();
  std::vector<double> count(votes_.size(), 0);
  for (const Xapian::docid docid : docids)
    for (const std::uint32_t label : mirror.labels_of(docid)) ++count[label];

  // In the order of docids: how many documents of each label came before.
  std::vector<double> before(votes_.size(), 0);
  for (const Xapian::docid docid : docids) {
    const auto own = mirror.labels_of(docid);
    double& age = age_[mirror.list->place_of(docid)];
    for (const std::uint32_t label : own) {
      age += before[label] / count[label];
      ++before[label];
    }
    age /= static_cast<double>(own.size());
  }
}

void DriftMeasure::add(Xapian::docid docid, std::span<const Neighbor> nearest) {
  const SegmentList& mirror = *mirror_.list;
  if (age_[mirror.place_of(docid)] < kEarlier) return;

  // Whether the best label is true, if those vote that may.
  const auto is_right = [&](auto&& may_vote) {
    std::uint32_t best = 0;
    for (const Neighbor& neighbor : nearest) {
      const std::uint32_t place = mirror.place_of_neighbor(neighbor.number);
      if (!may_vote(place)) continue;

      for (const std::uint32_t label : mirror.labels_at(place)) {
        votes_[label] += neighbor.similarity;
        if (votes_[label] > votes_[best]) best = label;
      }
    }

    const bool voted = votes_[best] > 0;
    std::ranges::fill(votes_, 0);
    return voted && std::ranges::binary_search(mirror_.labels_of(docid), best);
  };

  // How much more often a half of all voters is right than the earlier half.
  double loss = 0;
  if (is_right([&](std::uint32_t other) {
        return age_[other] < kEarlier;
      }))
    loss = -1;
  for (std::uint32_t sample = 0; sample < kSamples; ++sample)
    if (is_right([&](std::uint32_t other) {
          return is_drawn(other, sample);
        }))
      loss += 1.0 / kSamples;
  loss_.add(loss);
}

}  // namespace kindred
