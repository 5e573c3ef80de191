#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyzer/analyzer.h"
#include "plugin/answers.h"
#include "plugin/ask/question.h"
#include "plugin/evaluate/evaluate.h"

namespace kindred::cli {

/// Writes a page that shows how a text becomes terms: its words with those marked that are no
/// features, what each step made of each word, and why words were dropped. @throws Error if it
/// cannot be written.
void write_analysis_report(const std::string& path, const std::string& language,
                           const std::vector<TokenTrace>& traces);

/// Writes an evaluation as one HTML file that needs no other: measures, the worst confusions and
/// the confusion matrix if there is one, a reliability diagram, precision and recall over
/// thresholds, and labels. A file that is there is replaced in one step.
/// @param subject what was evaluated, for the heading.
/// @throws Error kNotFound if it cannot be written.
void write_evaluation_report(const std::string& path, const std::string& subject,
                             const Evaluation& evaluation);

/// Writes a class geometry as one HTML file that needs no other: the labels that are hardest to
/// tell apart, a dendrogram, a heat map of distances and one of nearest neighbors, both in the
/// order of the dendrogram, and all labels. All but the last have the most frequent labels only.
/// @param subject what was measured, for the heading.
/// @throws Error kNotFound if it cannot be written; the old file is then unchanged.
void write_geometry_report(const std::string& path, const std::string& subject,
                           const ClassGeometry& geometry);

/// The number of the other label at the smallest mean distance, or of the label itself if there is
/// no other.
std::size_t nearest_label(const ClassGeometry& geometry, std::size_t label);

/// Writes an answer to "suspects" as one HTML page to work through: what each has and what its
/// neighbors say, and boxes to choose its labels. What was seen and chosen stays in the address of
/// the page. It makes JSON Lines of the corrections, and says how to apply them. Without scripts it
/// can be read.
/// @param database its path, for the heading and for the command line.
/// @throws Error kNotFound if it cannot be written; the old file is then unchanged.
void write_suspects_report(const std::string& path, const std::string& database,
                           const Json& answer);

}  // namespace kindred::cli
