#include "plugin/votes/votes.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "config/error.h"

namespace kindred {

VoteKind vote_kind(std::string_view name) {
  const auto it = std::find(kVoteNames.begin(), kVoteNames.end(), name);
  if (it != kVoteNames.end()) return static_cast<VoteKind>(it - kVoteNames.begin());
  throw Error(Errc::kInvalidArgument,
              "vote: expected " + listed_vote_names() + " (got '" + std::string(name) + "')");
}

std::string_view vote_name(VoteKind kind) { return kVoteNames[static_cast<std::size_t>(kind)]; }

double as_probability(double z) { return 1 / (1 + std::exp(-z)); }

double raised(double similarity, int power) {
  double result = 1;
  for (int i = 0; i < power; ++i) result *= similarity;
  return result;
}

namespace {

bool may_vote(const Neighbor& neighbor, std::uint32_t label,
              std::span<const std::uint32_t> silent) {
  return silent.empty() || silent[label] != neighbor.number;
}

}  // namespace

void count_shares(std::span<const Neighbor> neighbors, const SegmentList& mirror, int power,
                  std::span<double> shares, std::span<const std::uint32_t> silent) {
  double total = 0;
  for (const Neighbor& neighbor : neighbors) {
    if (neighbor.number == kNoDocument) break;

    const double weight = raised(neighbor.similarity, power);
    total += weight;
    for (const std::uint32_t label : mirror.labels_of_neighbor(neighbor.number))
      if (may_vote(neighbor, label, silent)) shares[label] += weight;
  }

  if (!(total > 0)) return;
  for (double& share : shares) share /= total;
}

void find_best(std::span<const Neighbor> neighbors, const SegmentList& mirror,
               std::span<double> best, std::span<const std::uint32_t> silent) {
  for (const Neighbor& neighbor : neighbors) {
    if (neighbor.number == kNoDocument) break;

    for (const std::uint32_t label : mirror.labels_of_neighbor(neighbor.number))
      if (may_vote(neighbor, label, silent))
        best[label] = std::max<double>(best[label], neighbor.similarity);
  }
}

}  // namespace kindred
