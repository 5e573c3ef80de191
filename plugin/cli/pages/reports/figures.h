#pragma once

#include <array>
#include <string>
#include <vector>

#include "plugin/evaluate/evaluate.h"
#include "plugin/evaluate/linkage.h"

namespace kindred::cli {

// Figures of the reports, as HTML that goes in as it is.

/// The worst confusions of a matrix as a list, and the matrix itself; of a large one, the part with
/// the labels that are confused most. As HTML.
std::string confusion_tables(const ConfusionMatrix& matrix);

/// The tree of merges as an SVG in a box that scrolls, with the labels on the left.
/// @param labels the items, at least two.
/// @param order as leaf_order() gives it.
/// @param axis what the distances are.
std::string dendrogram(const std::vector<std::string>& labels,
                       const std::vector<ClusterMerge>& merges,
                       const std::vector<std::size_t>& order, const std::string& axis);

/// A reliability diagram as an HTML figure with an SVG: for each bin of confidence the share of
/// documents whose best label is true, its gap to the mean confidence, and below how many documents
/// there are. The diagonal is where confidences are probabilities.
/// @param report has the expected calibration error that the diagram names.
std::string reliability_diagram(const std::array<ReliabilityBin, 10>& bins,
                                const EvaluationReport& report);

/// Precision, recall and F1 over thresholds, as such a figure. Marks the best F1.
std::string threshold_diagram(const std::vector<ThresholdPoint>& curve);

}  // namespace kindred::cli
