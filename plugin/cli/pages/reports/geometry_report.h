#pragma once

#include <string>

#include "plugin/answers/class_geometry.h"

namespace kindred::cli {

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

}  // namespace kindred::cli
