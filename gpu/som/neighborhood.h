#pragma once

#include <cstdint>
#include <vector>

#include "gpu/som/lattice.h"

namespace kindred {

/// How strongly a unit follows the documents of another one at squared distance d^2 (Kohonen,
/// Self-Organizing Maps, 3rd edition, section 3.3): h = exp(-d^2 / (2 sigma^2)). A full
/// neighborhood is the product of two such factors, one for the distance across the rows and one
/// for the distance along them; a factor below 2^-50 counts as 0. A cut neighborhood is 0 where d^2
/// > sigma^2.
struct SomNeighborhood {
  double sigma = 1;  ///< > 0
  bool cut = false;
};

/// h for two units, given their distance across and along the rows.
double neighborhood(const SomNeighborhood& neighborhood, double down, double across);

/// A neighborhood's factors in float, as tables for smoothing an image of one value per unit. The
/// full Gaussian is separable on every lattice here: it smooths along the rows, then across them.
/// On a hexagonal lattice it smooths along the rows twice, onto rows of the same shift and onto
/// rows of the other. A cut Gaussian is not separable.
class SomFactors {
 public:
  SomFactors(const SomLattice& lattice, const SomNeighborhood& neighborhood);

  const SomLattice& lattice() const { return lattice_; }
  bool is_separable() const { return !neighborhood_.cut; }

  /// True if the two rows are shifted against each other.
  bool is_shifted(std::uint32_t target_row, std::uint32_t source_row) const {
    return lattice_.hexagonal && target_row % 2 != source_row % 2;
  }
  /// The number of the table for these rows: 0 if they are not shifted against each other, 1 if the
  /// target is shifted to the right, 2 if it is shifted to the left. If cut, plus 3 for each row
  /// that they are apart.
  std::uint32_t table_of(std::uint32_t target_row, std::uint32_t source_row) const;

  /// Entry i of a table is for targets i - (columns - 1) columns to the right of their sources: the
  /// factor along the rows, or, if cut, the whole factor.
  std::uint32_t width() const { return 2 * lattice_.columns - 1; }
  const std::vector<float>& tables() const { return tables_; }  ///< [tables, width]

  /// The factor of two units at the same place in their rows. If cut, it is 0 where the rows are so
  /// far apart that all their factors are 0.
  const std::vector<float>& across() const { return across_; }  ///< [target row, source row]

 private:
  SomLattice lattice_;
  SomNeighborhood neighborhood_;
  std::vector<float> tables_;
  std::vector<float> across_;
};

}  // namespace kindred
