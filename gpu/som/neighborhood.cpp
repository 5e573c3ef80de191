#include "gpu/som/neighborhood.h"

#include <algorithm>
#include <cmath>

namespace kindred {
namespace {

/// How the target's row is shifted against the source's.
enum Shift : std::uint32_t { kNone, kTargetRight, kTargetLeft, kShifts };

/// A factor of the full neighborhood at this distance.
double neighborhood_factor(double sigma, double distance) {
  const double factor = std::exp(-distance * distance / (2 * sigma * sigma));
  return factor < 0x1p-50 ? 0 : factor;
}

}  // namespace

double neighborhood(const SomNeighborhood& neighborhood, double down, double across) {
  const double sigma = neighborhood.sigma;
  if (!neighborhood.cut)
    return neighborhood_factor(sigma, down) * neighborhood_factor(sigma, across);

  const double squared = down * down + across * across;
  // The slack treats distances that differ only by rounding alike.
  if (squared > sigma * sigma * (1 + 1e-12)) return 0;
  return std::exp(-squared / (2 * sigma * sigma));
}

std::uint32_t SomFactors::table_of(std::uint32_t target_row, std::uint32_t source_row) const {
  Shift shift = kNone;
  if (is_shifted(target_row, source_row)) shift = target_row % 2 == 1 ? kTargetRight : kTargetLeft;
  if (!neighborhood_.cut) return shift;
  const std::uint32_t apart = std::max(target_row, source_row) - std::min(target_row, source_row);
  return apart * kShifts + shift;
}

/// Any two rows that use a table can fill it: the distance along the rows depends only on the
/// shift, and the distance across them only on how far the rows are apart.
SomFactors::SomFactors(const SomLattice& lattice, const SomNeighborhood& neighborhood)
    : lattice_(lattice), neighborhood_(neighborhood) {
  const std::uint32_t rows = lattice_.rows;
  const std::uint32_t distances = neighborhood_.cut ? rows : 1;  // that have tables of their own
  tables_.assign(std::size_t{width()} * kShifts * distances, 0);
  across_.assign(std::size_t{rows} * rows, 0);

  // Each pair of rows has its factor across them. Tables are shared by pairs of rows, so only those
  // of the first two rows on either side are filled: they show every shift, at every distance.
  for (std::uint32_t target = 0; target < rows; ++target) {
    for (std::uint32_t source = 0; source < rows; ++source) {
      const double down = lattice_.row_distance(target, source);
      across_[std::size_t{target} * rows + source] =
          static_cast<float>(kindred::neighborhood(neighborhood_, down, 0));
      if (target > 1 && source > 1) continue;  // the table is filled

      // Sources and targets of a row differ by -(columns - 1) to columns - 1 columns. A full
      // neighborhood has the factor along the rows here, a cut one the whole factor.
      float* table = tables_.data() + std::size_t{table_of(target, source)} * width();
      for (std::uint32_t i = 0; i < width(); ++i) {
        const double along = lattice_.column_distance(
            std::int64_t{i} - (lattice_.columns - std::int64_t{1}), target, source);
        const double factor = neighborhood_.cut ? kindred::neighborhood(neighborhood_, down, along)
                                                : neighborhood_factor(neighborhood_.sigma, along);
        table[i] = static_cast<float>(factor);
      }
    }
  }
}

}  // namespace kindred
