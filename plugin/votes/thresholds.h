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

/// SCut with FBR (Yang 2001, "A study on thresholding strategies", FBR.1; Lewis): the threshold is
/// halfway between the score that gives the best F1 and the next lower one (ties of F1 go to the
/// highest score). If the best F1 is below `fbr`, it is the largest score. A score reaches a
/// threshold if it is not below it. Scores of 0 do not count; without a score the threshold is
/// infinite.
double scut(const LabelScores& label, double fbr);

/// PCut: halfway between the n-th largest score and the next lower one, where n is the number of
/// documents that have the label; infinite if none has.
double proportional_cut(const LabelScores& label);

/// Thresholds of one label chosen on some documents for others, by a fold number for each document:
/// result[f] comes from all documents but those of fold f, and the last one from all. For several
/// values of FBR at once, so that scores are sorted once: row-major [fbrs, folds + 1].
std::vector<double> cross_fitted_scut(const LabelScores& label, std::span<const double> fbrs,
                                      std::span<const std::uint8_t> fold, std::size_t folds);
std::vector<double> cross_fitted_proportional_cut(const LabelScores& label,
                                                  std::span<const std::uint8_t> fold,
                                                  std::size_t folds);

}  // namespace kindred
