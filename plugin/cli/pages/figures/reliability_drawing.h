#pragma once

#include <array>
#include <string>
#include <vector>

#include "plugin/evaluate/evaluate.h"

namespace kindred::cli {

/// A reliability diagram as an HTML figure with an SVG: for each bin of confidence the share of
/// documents whose best label is true, its gap to the mean confidence, and below how many documents
/// there are. The diagonal is where confidences are probabilities.
/// @param report has the expected calibration error that the diagram names.
std::string reliability_diagram(const std::array<ReliabilityBin, 10>& bins,
                                const EvaluationReport& report);

/// Precision, recall and F1 over thresholds, as such a figure. Marks the best F1.
std::string threshold_diagram(const std::vector<ThresholdPoint>& curve);

}  // namespace kindred::cli
