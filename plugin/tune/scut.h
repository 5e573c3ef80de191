#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plugin/tune/blend_scores.h"

namespace kindred {

/// The least confidence of a tag by a blend: rare labels would get less.
inline constexpr double kLeastConfidence = 0.1;

/// How well scores, [documents, labels], agree with the truth. classify.max_labels is not applied.
struct ScutScores {
  double fbr = 0;  ///< of SCut (LabelCuts::scut()): 0.3 or 0.1, whichever gives the higher mean F1
  double micro_f1 = 0;
  double macro_f1 = 0;
};

/// Cuts the scores by SCut. The thresholds for a document come from the other folds, and none is
/// below kLeastConfidence. If every document has exactly one label, it gets no label but its best
/// one, and only if that reaches its threshold. Up to `threads` threads.
ScutScores measure_scut(std::span<const float> scores, const TrueLabels& truth,
                        std::size_t threads);

/// The thresholds by SCut from all documents, one for each label, each at least kLeastConfidence.
std::vector<double> scut_thresholds(std::span<const float> scores, double fbr,
                                    const TrueLabels& truth, std::size_t threads);

/// The share of documents whose best label is true.
double accuracy_of(std::span<const float> scores, const TrueLabels& truth);

/// The expected calibration error of the best label's score.
double calibration_error_of(std::span<const float> scores, const TrueLabels& truth);

}  // namespace kindred
