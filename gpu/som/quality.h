#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/som/twin.h"

namespace kindred {

/// How well a map fits its rows.
struct SomQuality {
  double quantization_error = 0;  ///< mean distance of a row to its best unit
  /// Share of rows whose second-best unit is no neighbor of the best (Kiviluoto 1996); 0 on a map
  /// of one unit.
  double topographic_error = 0;
};

SomQuality quality_of(const SomTally& tally);
SomQuality measure(const SomLattice& lattice, SomNeighbors kind, std::span<const SomMatch> matches);

/// Everything but `moved`.
SomTally tally_of(const SomLattice& lattice, SomNeighbors kind, std::span<const SomMatch> matches);

/// Rows for which each unit is the best.
std::vector<std::uint32_t> count_hits(std::uint32_t units, std::span<const SomMatch> matches);

/// The U-matrix (Ultsch and Siemon 1990): for each unit the mean distance of its weights to those
/// of its lattice neighbors (with corners); 0 on a map of one unit.
std::vector<float> u_matrix(const SomLattice& lattice, const SomCodebook& codebook);

/// How well groups agree with classes, one of each a row. Purity: share of rows in the class that
/// is the most frequent of their group. Normalized mutual information: I / ((H_groups + H_classes)
/// / 2) (scikit-learn's default); 1 if both have one part only.
struct Agreement {
  double purity = 0;
  double mutual_information = 0;
};

/// @throws Error kInvalidArgument if the sizes differ. No rows: both 0.
Agreement agreement(std::span<const std::uint32_t> groups, std::span<const std::uint32_t> classes);

}  // namespace kindred
