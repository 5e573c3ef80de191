#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plugin/tune/combiner_fit.h"
#include "plugin/tune/tag_goal.h"
#include "plugin/votes/tuning/tuning.h"

// From the scores of the labels on documents' shortlists to tags.

namespace kindred {

/// A threshold for each label by SCut with FBR (Yang 2001, "A study on thresholding strategies",
/// FBR.1; Lewis), and how well tags by such thresholds agree with the truth.
struct LabelCuts {
  std::vector<double> thresholds;  ///< from all documents
  double other = kOtherThreshold;  ///< of labels that are not there
  /// By thresholds for a document that come from the other folds; classify.limit is not
  /// applied. If every document has exactly one label, it gets no label but its best one.
  double micro_f1 = 0;
  double macro_f1 = 0;  ///< over the labels that are true or given
  double precision = 0;
  double recall = 0;
};

/// For TagGoal::kBalanced, whichever of these gives the higher mean of micro and macro F1:
/// - If the best F1 of a label is at least the FBR, 0.3, its threshold is halfway between the score
///   that gives this F1 and the next lower one. Ties of F1 go to the highest score. If it is below
///   the FBR, it is the largest score.
/// - The same without FBR, and then the mean of it and of the best threshold that is one for all
///   labels: by the number of the label's documents, where the common one counts as 10 or as 100.
///
/// For kMacro, the first of these, without FBR, too, or the second with 10 documents: whichever
/// gives the higher macro F1. For kMicro, the common threshold, the second with 100 documents, or
/// the first: by the micro F1. For kPrecision all labels have the lowest threshold that gives it.
/// For kTop all are 0. No threshold for an F1 is below 0.1: rare labels would get less. Scores
/// below 0.02 do not count.
LabelCuts cut_labels(std::span<const float> scores, const Shortlists& lists,
                     const TrueLabels& truth, const TagGoal& goal = {});

/// Of each document, whether its best label is true.
std::vector<std::uint8_t> best_is_true(std::span<const float> scores, const Shortlists& lists,
                                       const TrueLabels& truth);

/// Sets the accuracy and the calibration error, which are those of the best labels of one document
/// or more.
void measure_best(std::span<const float> scores, const Shortlists& lists, const TrueLabels& truth,
                  TuningScores& measured);

}  // namespace kindred
