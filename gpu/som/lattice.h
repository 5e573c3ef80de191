#pragma once

#include <cstdint>
#include <vector>

namespace kindred {

/// The units of a map and where they lie. Unit u is in row u / columns and column u % columns;
/// units of a row are 1 apart. On a hexagonal lattice odd rows are shifted by 1/2 to the right and
/// rows are sqrt(3)/2 apart. On a torus the last row meets the first, and the last column meets the
/// first.
struct SomLattice {
  std::uint32_t rows = 50;
  std::uint32_t columns = 50;
  bool hexagonal = true;
  bool toroidal = false;

  std::uint32_t units() const { return rows * columns; }
  double x(std::uint32_t unit) const;
  double y(std::uint32_t unit) const;

  /// Distance of two rows; on a torus, the shorter way round.
  double row_distance(std::uint32_t a, std::uint32_t b) const;
  /// Distance along the rows between units of these rows whose columns differ by `columns_apart`
  /// (target - source); on a torus, the shorter way round.
  double column_distance(std::int64_t columns_apart, std::uint32_t target_row,
                         std::uint32_t source_row) const;
  /// Squared Euclidean distance of two units.
  double squared_distance(std::uint32_t a, std::uint32_t b) const;
};

/// True for two units that meet on the lattice, if only at a corner: on a rectangular lattice a
/// unit has 8 neighbors, on a hexagonal one 6.
bool are_neighbors(const SomLattice& lattice, std::uint32_t a, std::uint32_t b);

/// The neighbors of a unit, ascending.
std::vector<std::uint32_t> neighbors_of(const SomLattice& lattice, std::uint32_t unit);

/// @throws Error kInvalidArgument if the lattice has no units or more than 2^24, or is a hexagonal
/// torus with an odd number of rows, whose last row would not fit the first.
void check_lattice(const SomLattice& lattice);

}  // namespace kindred
