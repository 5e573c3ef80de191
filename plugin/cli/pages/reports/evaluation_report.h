#pragma once

#include <string>

#include "plugin/evaluate/evaluate.h"

namespace kindred::cli {

/// Writes an evaluation as one HTML file that needs no other: measures, the worst confusions and
/// the confusion matrix if there is one, a reliability diagram, precision and recall over
/// thresholds, and labels. A file that is there is replaced in one step.
/// @param subject what was evaluated, for the heading.
/// @throws Error kNotFound if it cannot be written.
void write_evaluation_report(const std::string& path, const std::string& subject,
                             const Evaluation& evaluation);

}  // namespace kindred::cli
