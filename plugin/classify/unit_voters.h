#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/document_set.h"
#include "gpu/knn/backend.h"
#include "gpu/som/lattice.h"
#include "gpu/som/match.h"
#include "plugin/classify/ranked_labels.h"
#include "plugin/mirror/mirror.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/topics/document_placer.h"
#include "plugin/topics/topic_map.h"

namespace kindred {

/// A labeled document near a unit, and how much its vote weighs there.
struct UnitVoter {
  Xapian::docid docid = 0;
  double weight = 0;  ///< in (0, 1]
};

/// Where the labeled documents of a mirror lie on a map. They are the voters of VoteKind::kUnit
/// (classification by labeled units: Kohonen, Self-Organizing Maps, 3rd edition, section 3.2). The
/// weight of a voter's vote on a document is
///
///     h = exp(-d^2 / (2 sigma^2)), or 0 beyond d = 3 sigma
///
/// where d is the distance of their units on the lattice, and sigma is the last one of the map's
/// training. Immutable, so any number of threads may use it.
class UnitVoters {
 public:
  /// Places all labeled documents, on up to `threads` threads. `mirror` is borrowed.
  /// @throws Error kInvalidArgument as DocumentPlacer.
  UnitVoters(const Mirror& mirror, std::shared_ptr<const TopicMap> map, std::size_t threads);

  const TopicMap& map() const { return *map_; }

  std::size_t bytes() const;  ///< in main memory, besides mirror and map

  /// The unit of any document, or SomMatch::kNoUnit if it has no place on the map.
  std::uint32_t unit_of(Xapian::docid docid) const;

  /// The labeled documents of `voters` that lie near a unit, ascending; none near
  /// SomMatch::kNoUnit. `excluded`: a document to leave out, or kNoDocument.
  std::vector<UnitVoter> near(std::uint32_t unit, const DocumentSet& voters,
                              Xapian::docid excluded) const;

 private:
  const std::shared_ptr<const TopicMap> map_;
  const SegmentListPointer mirror_;
  const DocumentPlacer placer_;
  const SomLattice lattice_;
  std::vector<std::uint32_t> unit_;  // by place; SomMatch::kNoUnit without a label or a unit
  std::vector<std::vector<Xapian::docid>> documents_;  // of each unit, the labeled ones, ascending
};

/// The unit of a placement, or SomMatch::kNoUnit if it has none.
std::uint32_t unit_of(const TopicPlacement& place);

double total_weight(std::span<const UnitVoter> near);

/// The share of the total weight that the voters with each label have, in (0, 1].
std::vector<LabelScore> shares_of(std::span<const UnitVoter> near, const SegmentList& mirror);

}  // namespace kindred
