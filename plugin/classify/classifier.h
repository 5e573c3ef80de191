#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "config/settings.h"
#include "gpu/knn/backend.h"
#include "plugin/answers/classification.h"
#include "plugin/answers/tag_limits.h"
#include "plugin/classify/tagging_rule.h"

namespace kindred {

class Snapshot;
class UnitVoters;

/// Tags by the labeled rows of a snapshot, by any of the votes (plugin/votes/votes.h).
class Classifier {
 public:
  /// All are borrowed. `units`: who votes in VoteKind::kUnit; may be null for the others.
  Classifier(const Snapshot& snapshot, const ClassifySettings& settings,
             const UnitVoters* units = nullptr) noexcept
      : snapshot_(snapshot), settings_(settings), units_(units) {}

  /// One classification for each query. Queries were weighed by the snapshot's tagging weighting.
  /// `exclude`: for each query the row that may not vote (the document itself), or
  ///     Neighbor::kNoRow; empty: all may.
  /// `allowed`: limits the voters.
  /// `limits`: what people have said about each query's document, or empty. Tags that they forbid
  ///     are withheld, and others take their places.
  /// `units_of`: for VoteKind::kUnit the unit of each query; empty: that of its row in `exclude`.
  /// @throws Error as tagging_rule().
  std::vector<Classification> classify(const Queries& queries, const ClassifyRequest& request,
                                       std::span<const std::uint32_t> exclude = {},
                                       const RowBits* allowed = nullptr,
                                       std::span<const TagLimits> limits = {},
                                       std::span<const std::uint32_t> units_of = {}) const;

 private:
  const Snapshot& snapshot_;
  const ClassifySettings& settings_;
  const UnitVoters* units_;
};

}  // namespace kindred
