#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "config/settings.h"
#include "gpu/document_set.h"
#include "gpu/knn/backend.h"
#include "gpu/queries.h"
#include "gpu/som/match.h"
#include "plugin/answers.h"
#include "plugin/classify/unit_voters.h"
#include "plugin/documents/document_tags.h"
#include "plugin/requests.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {

/// The document that a query stands for.
struct QueriedDocument {
  Xapian::docid docid = kNoDocument;  ///< its own, which does not vote; kNoDocument: none
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

  /// One classification for each query.
  /// `queries`: weighed with the weighting of the snapshot's voting().
  /// `documents`: the document of each query.
  /// `voters`: if not null, only the voters of the voting model that are in this set vote.
  /// `asked`: if set, only this label matters. It is the only tag, whatever its confidence and even
  /// if it is never to be predicted, unless it got no vote.
  /// @throws Error as decision_rule().
  std::vector<Classification> classify(const Queries& queries,
                                       std::span<const QueriedDocument> documents,
                                       const ClassifyRequest& request, const DocumentSet* voters,
                                       std::optional<std::uint32_t> asked = {}) const;

  /// Gets the classification of a document, which it may change.
  using OnDocument = std::function<void(Xapian::docid docid, Classification& result)>;

  /// Classifies documents of the mirror by the others, without limits, kAtOnce at a time, and calls
  /// `on_document` for each, in the order of `docids`. Arguments as above. No document votes for
  /// itself.
  /// @throws Error as above; whatever `on_document` throws.
  void classify_all(std::span<const Xapian::docid> docids, const ClassifyRequest& request,
                    const DocumentSet* voters, const OnDocument& on_document,
                    std::optional<std::uint32_t> asked = {}) const;
  static constexpr std::size_t kAtOnce = 1000;

  /// Lets the labeled documents of a mirror classify each other, as Engine::cross_validate().
  /// `voters`: as above.
  /// @throws Error as above, and kInvalidArgument if folds is 1 or below 0.
  void cross_validate(const CrossValidation& how, const ClassifyRequest& request,
                      const DocumentSet* voters, const OnClassified& on_classified) const;

 private:
  const Snapshot& snapshot_;
  const ClassifySettings& settings_;
  const UnitVoters* units_;
};

}  // namespace kindred
