#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gpu/knn/backend.h"

namespace kindred {

/// The similarity-weighted vote of one query's neighbors (Yang and Liu 1999, section 3.3, as a
/// share). A label's share is the sum of its neighbors' similarities over the sum of all. Shares
/// descend; among equals labels ascend. Both sums are added in double in the neighbors' order,
/// which ends at the first kNoDocument. labels_of(number) is a range of the document's labels, each
/// at most once.
template <typename LabelsOf>
std::vector<LabelShare> label_shares(std::span<const Neighbor> neighbors, LabelsOf&& labels_of) {
  using LabelVote = std::pair<std::uint32_t, double>;
  std::vector<LabelVote> votes;

  // One vote for each label of each neighbor, in the neighbors' order.
  double total = 0;
  for (const Neighbor& neighbor : neighbors) {
    if (neighbor.number == kNoDocument) break;
    const double weight = neighbor.similarity;
    total += weight;
    for (const std::uint32_t label : labels_of(neighbor.number)) votes.emplace_back(label, weight);
  }

  // Votes of one label come together. The sort is stable, so they are still added in the neighbors'
  // order, which fixes the rounding.
  std::ranges::stable_sort(votes, {}, &LabelVote::first);

  std::vector<LabelShare> shares;
  for (const auto& [label, weight] : votes) {
    if (shares.empty() || shares.back().label != label) shares.push_back({label, 0});
    shares.back().share += weight;
  }

  // Shares of the whole are what is compared: a division may make equal what was not.
  for (LabelShare& share : shares) share.share /= total;
  std::sort(shares.begin(), shares.end(), [](const LabelShare& a, const LabelShare& b) {
    if (a.share != b.share) return a.share > b.share;
    return a.label < b.label;
  });
  return shares;
}

/// Removes the neighbor `exclude`, if it is there, and keeps at most k of the others. So the k + 1
/// best of all documents become the k best of all but one. Returns how many are left.
inline std::size_t leave_out(std::span<Neighbor> neighbors, std::uint32_t exclude, std::size_t k) {
  std::size_t kept = 0;
  for (const Neighbor& neighbor : neighbors) {
    if (neighbor.number == kNoDocument || kept == k) break;
    if (neighbor.number == exclude) continue;
    neighbors[kept] = neighbor;
    ++kept;
  }
  return kept;
}

/// Writes the shares of query number `q` to its place among those of all: of its k best neighbors
/// that may vote. `neighbors`: its best, one more than k if a document is excluded; they may be
/// moved.
template <typename LabelsOf>
void write_shares(const Vote& vote, std::size_t q, std::size_t k, std::span<Neighbor> neighbors,
                  LabelsOf&& labels_of, std::span<LabelShare> shares) {
  std::uint32_t excluded = kNoDocument;
  if (!vote.exclude.empty()) excluded = vote.exclude[q];

  // Without the excluded document, at most k neighbors are left.
  const auto own = label_shares(neighbors.first(leave_out(neighbors, excluded, k)), labels_of);

  const std::span<LabelShare> result = shares.subspan(q * vote.labels, vote.labels);
  std::fill(std::copy_n(own.begin(), std::min(own.size(), result.size()), result.begin()),
            result.end(), LabelShare{});
}

}  // namespace kindred
