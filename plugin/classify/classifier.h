#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "gpu/document_set.h"
#include "plugin/answers.h"
#include "plugin/classify/decision_rule.h"
#include "plugin/classify/texts_to_tag.h"
#include "plugin/requests.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {

/// Tags by the voters of a snapshot, by any of the votes (plugin/votes/votes.h).
class Classifier {
 public:
  /// Snapshot and settings are borrowed. `means`: for the requests of all calls.
  Classifier(const Snapshot& snapshot, const ClassifySettings& settings, VoteMeans means) noexcept
      : snapshot_(snapshot), settings_(settings), means_(std::move(means)) {}

  /// One classification for each text, which were added for the same means.
  /// `voters`: if not null, only the voters of the voting model that are in this set vote.
  /// `asked`: if set, only this label matters. It is the only tag, whatever its confidence and even
  /// if it is never to be predicted, unless it got no vote.
  /// @throws Error as decision_rule().
  std::vector<Classification> classify(const TextsToTag& texts, const ClassifyRequest& request,
                                       const DocumentSet* voters,
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
  std::vector<Classification> vote_by(const DecisionRule& rule, const TextsToTag& texts,
                                      const ClassifyRequest& request, const DocumentSet* voters,
                                      const DocumentSet& voting) const;

  const Snapshot& snapshot_;
  const ClassifySettings& settings_;
  const VoteMeans means_;
};

}  // namespace kindred
