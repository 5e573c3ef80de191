#include "plugin/votes/neighbor_votes.h"

#include <algorithm>

#include "plugin/votes/votes.h"

namespace kindred {

void NeighborVotes::count(std::span<const Neighbor> neighbors, const SegmentList& mirror, int power,
                          std::span<const std::uint32_t> silent) {
  for (const std::uint32_t label : met_) of_label_[label] = {};
  met_.clear();
  total_ = 0;

  for (const Neighbor& neighbor : neighbors) {
    if (neighbor.number == kNoDocument) break;

    const double weight = raised(neighbor.similarity, power);
    total_ += weight;
    for (const std::uint32_t label : mirror.labels_of_neighbor(neighbor.number)) {
      if (!silent.empty() && silent[label] == neighbor.number) continue;

      Votes& votes = of_label_[label];
      if (!votes.is_met) met_.push_back(label);
      votes.is_met = true;
      votes.weight += weight;
      votes.best = std::max<double>(votes.best, neighbor.similarity);
    }
  }
}

double NeighborVotes::share(std::uint32_t label) const {
  const double weight = of_label_[label].weight;
  if (!(total_ > 0)) return 0;
  return weight / total_;
}

double NeighborVotes::best(std::uint32_t label) const { return of_label_[label].best; }

}  // namespace kindred
