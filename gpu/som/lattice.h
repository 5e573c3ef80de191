#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/som/rows.h"

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

/// How large the values are that the grid of an epoch's sums must hold.
struct SomBound {
  int exponent = kLeast;  ///< no absolute value exceeds 2^exponent; at least kLeast

  /// Values below 2^-70 count as if they were bounded by it: all scales stay normal floats.
  static constexpr int kLeast = -70;

  /// The least bound of rows whose largest absolute value this is.
  static SomBound of(float largest);
};

/// The least bound of these rows, which have passed check_rows(). Up to `threads` threads.
SomBound bound_of(const SomRows& rows, std::size_t threads);

/// The integers that an epoch's sums consist of. Unit u has a scale, a power of two. Each value x
/// that is added to a sum of the unit is first rounded to the integer nearest to x * scale, ties to
/// even. So a sum is one of integers: it has no order, and no rounding of its own. The scale
/// follows from the number n of rows that the unit wins, over all parts, devices and processes, and
/// from 2^b, the bound of their values. With k = floor(log2 n), 0 if n = 0:
/// - n < 1,024: 2^(30 - k - b). A sum fits 32 bits: the unit is narrow.
/// - n from 1,024: 2^(21 - b). A sum fits 64 bits: the unit is wide. Any 1,023 of its
///   rows together still fit 32.
/// So rounding moves a value by at most 2^(b-22). docs/topics.md says what that makes of a weight.
class SomGrid {
 public:
  /// The most rows whose sums fit 32 bits at the scale of a wide unit, and in a narrow one.
  static constexpr std::uint32_t kNarrowRows = 1023;
  static constexpr std::uint32_t kNarrow = UINT32_MAX;

  SomGrid() = default;
  /// `hits`: the rows of each unit, [units], each below 2^42.
  SomGrid(const SomBound& bound, std::vector<std::int64_t> hits);

  const std::vector<std::int64_t>& hits() const { return hits_; }
  /// Units with sums of 64 bits, ascending.
  const std::vector<std::uint32_t>& wide() const { return wide_; }
  /// The place of a unit in wide(); kNarrow if it is narrow.
  std::uint32_t slot(std::uint32_t unit) const { return slot_[unit]; }
  const std::vector<std::uint32_t>& slots() const { return slot_; }  ///< [units]

  const std::vector<float>& scales() const { return scale_; }    ///< [units], normal numbers
  const std::vector<float>& quanta() const { return quantum_; }  ///< [units], 1 / scale

 private:
  std::vector<std::int64_t> hits_;
  std::vector<std::uint32_t> wide_;
  std::vector<std::uint32_t> slot_;
  std::vector<float> scale_;
  std::vector<float> quantum_;
};

/// The integer nearest to value * scale, ties to even. Both factors are such that the product is
/// exact in double and at most 2^51. Adding 1.5 * 2^52 rounds it: it leaves no bits for fractions.
inline std::int64_t on_grid(float value, double scale) {
  constexpr double kRound = 0x1.8p52;
  return std::bit_cast<std::int64_t>(value * scale + kRound) - std::bit_cast<std::int64_t>(kRound);
}

}  // namespace kindred
