#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "config/settings.h"
#include "gpu/knn/backend.h"
#include "gpu/som/twin.h"
#include "plugin/answers.h"
#include "plugin/classify/decision_rule.h"

namespace kindred {

class Snapshot;
class UnitVoters;

/// The document that a query stands for.
struct QueriedDocument {
  std::uint32_t row = Neighbor::kNoRow;  ///< its own row, which does not vote; kNoRow: none
  /// What people have said about its tags. Tags that they forbid are withheld, and others take
  /// their places.
  TagLimits limits;
  /// For VoteKind::kUnit: where it lies on the map. kNoUnit: nowhere.
  std::uint32_t unit = SomMatch::kNoUnit;
};

/// Tags by the voters of a snapshot, by any of the votes (plugin/votes/votes.h).
class Classifier {
 public:
  /// All are borrowed. `units`: the voters of VoteKind::kUnit; may be null for the other votes.
  Classifier(const Snapshot& snapshot, const ClassifySettings& settings,
             const UnitVoters* units = nullptr) noexcept
      : snapshot_(snapshot), settings_(settings), units_(units) {}

  /// The document of a row of the mirror, without limits.
  QueriedDocument document_of(std::uint32_t row) const;

  /// How the labels of a request are decided. @throws Error as decision_rule().
  DecisionRule rule(const ClassifyRequest& request) const;

  /// The voters of the voting model that are in `voters`, or all of them if that is null.
  RowSet voters_in(const RowSet* voters) const;

  /// One classification for each query.
  /// `queries`: weighed with the weighting of the snapshot's voting().
  /// `documents`: the document of each query.
  /// `voters`: if not null, only the voters of the voting model that are in this set vote.
  /// `asked`: if set, only this label matters. It is the only tag, whatever its confidence and even
  /// if it is never to be predicted, unless it got no vote.
  /// @throws Error as decision_rule().
  std::vector<Classification> classify(const Queries& queries,
                                       std::span<const QueriedDocument> documents,
                                       const ClassifyRequest& request, const RowSet* voters,
                                       std::optional<std::uint32_t> asked = {}) const;

 private:
  const Snapshot& snapshot_;
  const ClassifySettings& settings_;
  const UnitVoters* units_;
};

}  // namespace kindred
