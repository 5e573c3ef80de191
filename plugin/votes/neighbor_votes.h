#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/knn/backend.h"

namespace kindred {

/// What the neighbors of one document after another say of their labels. For one thread.
class NeighborVotes {
 public:
  explicit NeighborVotes(std::size_t labels) : of_label_(labels) {}

  /// Counts neighbors, which end at the first kNoDocument, each by this power of its similarity; 0
  /// counts heads. Sums are in the order of the neighbors. The members below say the results until
  /// the next call. `silent`: of each label, a document that does not vote for it, or kNoDocument;
  /// or nothing.
  void count(std::span<const Neighbor> neighbors, const SegmentList& mirror, int power,
             std::span<const std::uint32_t> silent = {});

  /// The labels that neighbors vote for, each once, in the order in which they are met.
  std::span<const std::uint32_t> labels() const { return met_; }

  // Of any label, 0 if no neighbor votes for it:
  double share(std::uint32_t label) const;  ///< of what all neighbors weigh
  double best(std::uint32_t label) const;   ///< the largest similarity

 private:
  struct Votes {
    double weight = 0;
    double best = 0;
    bool is_met = false;
  };

  std::vector<Votes> of_label_;  // empty for those that are not met
  std::vector<std::uint32_t> met_;
  double total_ = 0;
};

}  // namespace kindred
