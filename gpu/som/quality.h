#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/som/codebook.h"
#include "gpu/som/lattice.h"
#include "gpu/som/match.h"

namespace kindred {

/// How well a map fits its rows.
struct SomQuality {
  double quantization_error = 0;  ///< mean distance of a row to its best unit
  /// Share of rows whose second-best unit is not a neighbor of the best (Kiviluoto 1996); 0 on a
  /// map of one unit.
  double topographic_error = 0;
};

SomQuality quality_of(const SomTally& tally);

/// The tally of these matches, except for `moved`.
SomTally tally_of(const SomLattice& lattice, std::span<const SomMatch> matches);

/// For each unit, the number of rows whose best unit it is.
std::vector<std::uint32_t> count_hits(std::uint32_t units, std::span<const SomMatch> matches);

/// The U-matrix (Ultsch and Siemon 1990): for each unit, the mean distance of its weights to those
/// of its lattice neighbors, including those at corners; 0 on a map of one unit.
std::vector<float> u_matrix(const SomLattice& lattice, const SomCodebook& codebook);

/// How well groups agree with classes. Each row has one of each.
/// - Purity: the share of rows that are of the most frequent class of their group.
/// - Normalized mutual information: I / ((H_groups + H_classes) / 2), scikit-learn's default; 1 if
///   there is only one group and one class.
struct Agreement {
  double purity = 0;
  double mutual_information = 0;
};

/// @throws Error kInvalidArgument if the sizes differ. No rows: both 0.
Agreement agreement(std::span<const std::uint32_t> groups, std::span<const std::uint32_t> classes);

}  // namespace kindred
