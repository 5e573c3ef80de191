#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "config/settings.h"
#include "plugin/requests.h"
#include "plugin/snapshot/voting_model.h"

namespace kindred {

/// How the labels of a query are decided: a request in which every choice is made.
struct DecisionRule {
  VoteKind vote = VoteKind::kSimilarity;
  std::size_t k = 1;
  double min_similarity = 0;
  double threshold = 0;
  double other_threshold = kOtherThreshold;  ///< of labels that the tuning does not know
  bool is_tuned = false;                     ///< each label has a threshold of its own
  std::size_t max_labels = 1;
  std::vector<std::uint32_t> never;  ///< labels that are not given, ascending
  /// If set, the only label that is decided: it is given whenever its score is above 0.
  std::optional<std::uint32_t> asked{};

  /// The confidence that a label has to reach.
  double threshold_of(std::uint32_t label, const std::vector<double>& thresholds) const {
    if (is_tuned) return thresholds[label];
    return threshold;
  }
  /// The same of a label that no document has.
  double threshold_of_suggestions() const { return is_tuned ? other_threshold : threshold; }
  /// True if the vote needs sums over each label's documents (ClassSums).
  bool needs_class_sums() const;
  /// The power of its similarity by which a neighbor counts; 0 counts heads.
  int similarity_power() const;
};

/// Fills in what the request leaves open, from the model's tuning or else from the settings.
/// @throws Error kInvalidArgument that names what is wrong: neighbors < 1; limit < 1; a
/// min_confidence or min_similarity outside [0, 1]; an unknown vote; "blend" without a tuning that
/// has chosen it; "prototype" without a query.
DecisionRule decision_rule(const ClassifyRequest& request, const ClassifySettings& settings,
                           const VotingModel& model);

/// True if somebody has chosen a threshold: this request, or the settings.
bool is_threshold_chosen(const ClassifyRequest& request, const ClassifySettings& settings);

/// The query for the prototypes: that of the request, or else that of the settings.
const std::string& prototypes_of(const ClassifyRequest& request, const ClassifySettings& settings);

}  // namespace kindred
