#include "gpu/som/lattice.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "config/error.h"

namespace kindred {
namespace {

constexpr double kHexagonalRows = 0.86602540378443864676;  // sqrt(3) / 2
constexpr std::uint64_t kMostUnits = std::uint64_t{1} << 24;
constexpr double kSlack = 1e-9;  // of a squared distance, for its rounding

double wrapped(double distance, double around) { return std::min(distance, around - distance); }

/// How far rows are apart.
double row_height(const SomLattice& lattice) { return lattice.hexagonal ? kHexagonalRows : 1.0; }

}  // namespace

double SomLattice::x(std::uint32_t unit) const {
  const double column = unit % columns;
  const bool is_shifted = hexagonal && unit / columns % 2 == 1;
  return is_shifted ? column + 0.5 : column;
}

double SomLattice::y(std::uint32_t unit) const {
  const std::uint32_t row = unit / columns;
  return row * row_height(*this);
}

double SomLattice::row_distance(std::uint32_t a, std::uint32_t b) const {
  double apart = std::max(a, b) - std::min(a, b);
  if (toroidal) apart = wrapped(apart, rows);
  return apart * row_height(*this);
}

double SomLattice::column_distance(std::int64_t columns_apart, std::uint32_t target_row,
                                   std::uint32_t source_row) const {
  int shift = 0;  // of the target, in halves of a column
  if (hexagonal) shift = static_cast<int>(target_row % 2) - static_cast<int>(source_row % 2);
  const double apart = std::abs(static_cast<double>(columns_apart) + 0.5 * shift);
  return toroidal ? std::abs(wrapped(apart, columns)) : apart;
}

double SomLattice::squared_distance(std::uint32_t a, std::uint32_t b) const {
  const double down = row_distance(a / columns, b / columns);
  const double across =
      column_distance(std::int64_t{b % columns} - a % columns, b / columns, a / columns);
  return down * down + across * across;
}

bool are_neighbors(const SomLattice& lattice, std::uint32_t a, std::uint32_t b) {
  const double reach = lattice.hexagonal ? 1 : 2;  // squared
  return a != b && lattice.squared_distance(a, b) <= reach + kSlack;
}

std::vector<std::uint32_t> neighbors_of(const SomLattice& lattice, std::uint32_t unit) {
  std::vector<std::uint32_t> found;
  const std::uint32_t row = unit / lattice.columns;
  const std::uint32_t column = unit % lattice.columns;

  // Tries the rows and columns around the unit, also across the edge of a torus. The distance
  // decides.
  for (std::uint32_t i = 0; i < 9; ++i) {
    const std::uint32_t r = (row + lattice.rows + i / 3 - 1) % lattice.rows;
    const std::uint32_t c = (column + lattice.columns + i % 3 - 1) % lattice.columns;
    const std::uint32_t other = r * lattice.columns + c;
    if (are_neighbors(lattice, unit, other)) found.push_back(other);
  }

  // On a narrow torus, two ways lead to one unit.
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void check_lattice(const SomLattice& lattice) {
  const std::uint64_t units = std::uint64_t{lattice.rows} * lattice.columns;
  if (units == 0 || units > kMostUnits)
    throw Error(Errc::kInvalidArgument, "a map of " + std::to_string(lattice.rows) + " rows and " +
                                            std::to_string(lattice.columns) +
                                            " columns: expected 1 to 16777216 units");

  if (lattice.hexagonal && lattice.toroidal && lattice.rows % 2 == 1)
    throw Error(Errc::kInvalidArgument,
                "a hexagonal torus of " + std::to_string(lattice.rows) +
                    " rows: expected an even number, so that the last row fits the first");
}

}  // namespace kindred
