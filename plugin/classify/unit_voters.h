#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/knn/backend.h"
#include "gpu/som/lattice.h"
#include "gpu/som/twin.h"
#include "plugin/mirror/mirror.h"
#include "plugin/topics/map.h"
#include "plugin/topics/places.h"

namespace kindred {

/// A labeled row near a unit, and how much its vote weighs there.
struct UnitVoter {
  std::uint32_t row = 0;
  double weight = 0;  ///< in (0, 1]
};

/// Where the labeled documents of a mirror lie on a map: the voters of VoteKind::kUnit
/// (classification by labeled units: Kohonen, Self-Organizing Maps, 3rd edition, section 3.2). Each
/// votes on a document by h = exp(-d^2 / (2 sigma^2)), d being the distance of their units on the
/// lattice and sigma the last of the map's training; beyond 3 sigma none does. Immutable, so any
/// number of threads may use it.
class UnitVoters {
 public:
  /// Places all labeled rows, on up to `threads` threads. `mirror` is borrowed.
  /// @throws Error kInvalidArgument as RowPlacer.
  UnitVoters(const Mirror& mirror, std::shared_ptr<const TopicMap> map, std::size_t threads);

  const TopicMap& map() const { return *map_; }

  std::size_t bytes() const;  ///< in main memory, besides mirror and map

  /// The unit of any row, or SomMatch::kNoUnit if it has no place on the map.
  std::uint32_t unit_of(std::uint32_t row) const;

  /// Those of `voters` but `excluded` (or Neighbor::kNoRow) that lie near a unit, row ascending;
  /// none near SomMatch::kNoUnit.
  std::vector<UnitVoter> near(std::uint32_t unit, const RowSet& voters,
                              std::uint32_t excluded) const;

 private:
  const std::shared_ptr<const TopicMap> map_;
  const RowPlacer placer_;
  const SomLattice lattice_;
  std::vector<std::uint32_t> unit_;   // [rows]; SomMatch::kNoUnit without a label or a place
  std::vector<std::uint32_t> begin_;  // [units + 1], into row_
  std::vector<std::uint32_t> row_;    // labeled rows by unit, ascending inside one
};

/// The unit of a placement, or SomMatch::kNoUnit where it has none.
std::uint32_t unit_of(const TopicPlacement& place);

double total_weight(std::span<const UnitVoter> near);

/// Adds to scores[l] the share of all weight that those with label l have, in [0, 1].
void count_shares(std::span<const UnitVoter> near, const LabelView& labels,
                  std::span<double> scores);

}  // namespace kindred
