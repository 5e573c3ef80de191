#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plugin/votes/tagging_method.h"

namespace kindred {

/// Scores of one label over documents, and which of them have it.
struct LabelScores {
  std::span<const float> scores;
  std::span<const char> is_true;
};

/// The threshold of a label by SCut with FBR (Yang 2001, "A study on thresholding strategies",
/// FBR.1; Lewis):
/// - If the best F1 is at least `fbr`, it is halfway between the score that gives this F1 and the
///   next lower score. Ties of F1 go to the highest score.
/// - If the best F1 is below `fbr`, it is the largest score.
/// - If no score is above 0, it is infinite: scores of 0 do not count.
/// A score reaches a threshold if it is not below it.
double scut(const LabelScores& label, double fbr);

/// The threshold of a label by PCut: halfway between the n-th and the (n+1)-th largest score (0 if
/// there is none), where n is the number of documents that have the label. Infinite if n is 0, or
/// if the n-th largest score is 0.
double proportional_cut(const LabelScores& label);

/// Thresholds of one label for each fold, chosen on the documents of the other folds. `fold` has
/// the fold number of each document. The result is row-major [fbrs, folds + 1] for SCut, one row
/// for each value of FBR, and [folds + 1] for PCut. Element f of a row comes from all documents
/// that are not in fold f, and the last element from all documents.
std::vector<double> cross_fitted_scut(const LabelScores& label, std::span<const double> fbrs,
                                      std::span<const std::uint8_t> fold, std::size_t folds);
std::vector<double> cross_fitted_proportional_cut(const LabelScores& label,
                                                  std::span<const std::uint8_t> fold,
                                                  std::size_t folds);

}  // namespace kindred
