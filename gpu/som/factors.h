#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/som/neighborhood.h"

namespace kindred {

/// A neighborhood's factors in float, as tables for smoothing an image of one value per unit. The
/// full Gaussian is separable on every lattice here: first along the rows (on a hexagonal one
/// twice: onto rows of the same shift and of the other), then across them. A cut one is not.
class SomFactors {
 public:
  SomFactors(const SomLattice& lattice, const SomNeighborhood& neighborhood);

  const SomLattice& lattice() const { return lattice_; }
  bool is_separable() const { return !neighborhood_.cut; }

  /// True if target and source are rows of another shift.
  bool is_shifted(std::uint32_t target_row, std::uint32_t source_row) const {
    return lattice_.hexagonal && target_row % 2 != source_row % 2;
  }
  /// Which table serves these rows: 0 where neither is shifted, 1 where the target is shifted to
  /// the right, 2 to the left; if cut, plus 3 for each row that they are apart.
  std::uint32_t table_of(std::uint32_t target_row, std::uint32_t source_row) const;

  /// Entry i of a table is for targets i - (columns - 1) columns to the right of their sources:
  /// the factor along the rows, or the whole one if it is cut.
  std::uint32_t width() const { return 2 * lattice_.columns - 1; }
  const std::vector<float>& tables() const { return tables_; }  ///< [tables, width]

  /// The factor of two units in the same place of their rows; if cut, 0 where their rows are too
  /// far apart for any.
  const std::vector<float>& across() const { return across_; }  ///< [target row, source row]

 private:
  SomLattice lattice_;
  SomNeighborhood neighborhood_;
  std::vector<float> tables_;
  std::vector<float> across_;
};

}  // namespace kindred
