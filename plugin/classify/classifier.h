#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "config/settings.h"
#include "gpu/knn/backend.h"
#include "gpu/som/twin.h"
#include "plugin/answers/classification.h"
#include "plugin/answers/tag_limits.h"
#include "plugin/classify/decision_rule.h"

namespace kindred {

class Snapshot;
class UnitVoters;

/// The document that a query stands for.
struct QueriedDocument {
  std::uint32_t row = Neighbor::kNoRow;  ///< its own, which does not vote; kNoRow: it has none
  /// What people have said about its tags. Those that they forbid are withheld, and others take
  /// their places.
  TagLimits limits;
  /// Where it lies on the map; of VoteKind::kUnit. kNoUnit: nowhere.
  std::uint32_t unit = SomMatch::kNoUnit;
};

/// Tags by the voters of a snapshot, by any of the votes (plugin/votes/votes.h).
class Classifier {
 public:
  /// All are borrowed. `units`: the voters of VoteKind::kUnit; may be null for the other votes.
  Classifier(const Snapshot& snapshot, const ClassifySettings& settings,
             const UnitVoters* units = nullptr) noexcept
      : snapshot_(snapshot), settings_(settings), units_(units) {}

  /// A document of the mirror of which nobody has said anything.
  QueriedDocument document_of(std::uint32_t row) const;

  /// One classification for each query. Queries were weighed by the weighting of the snapshot's
  /// voting().
  /// `documents`: the document of each query.
  /// `voters`: of those of the voting model only these vote; null: all of them.
  /// @throws Error as decision_rule().
  std::vector<Classification> classify(const Queries& queries,
                                       std::span<const QueriedDocument> documents,
                                       const ClassifyRequest& request, const RowSet* voters) const;

 private:
  const Snapshot& snapshot_;
  const ClassifySettings& settings_;
  const UnitVoters* units_;
};

}  // namespace kindred
