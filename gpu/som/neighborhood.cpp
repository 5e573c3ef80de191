#include "gpu/som/neighborhood.h"

#include <cmath>

namespace kindred {

double neighborhood_factor(double sigma, double distance) {
  const double factor = std::exp(-distance * distance / (2 * sigma * sigma));
  return factor < 0x1p-50 ? 0 : factor;
}

double neighborhood(const SomNeighborhood& neighborhood, double down, double across) {
  const double sigma = neighborhood.sigma;
  if (!neighborhood.cut)
    return neighborhood_factor(sigma, down) * neighborhood_factor(sigma, across);
  const double squared = down * down + across * across;
  // The slack treats distances that differ only by rounding alike.
  return squared > sigma * sigma * (1 + 1e-12) ? 0 : std::exp(-squared / (2 * sigma * sigma));
}

namespace {

/// How the target's row is shifted against the source's.
enum Shift : std::uint32_t { kNone, kTargetRight, kTargetLeft, kShifts };

}  // namespace

std::uint32_t SomFactors::table_of(std::uint32_t target_row, std::uint32_t source_row) const {
  const std::uint32_t apart =
      target_row > source_row ? target_row - source_row : source_row - target_row;
  Shift shift = kNone;
  if (is_shifted(target_row, source_row)) shift = target_row % 2 == 1 ? kTargetRight : kTargetLeft;
  return (neighborhood_.cut ? apart * kShifts : 0) + shift;
}

/// Any two rows that use a table can fill it: the distance along the rows depends only on the
/// shift, and the distance across them only on how far the rows are apart.
SomFactors::SomFactors(const SomLattice& lattice, const SomNeighborhood& neighborhood)
    : lattice_(lattice), neighborhood_(neighborhood) {
  const std::uint32_t rows = lattice_.rows;
  tables_.assign(std::size_t{width()} * kShifts * (neighborhood_.cut ? rows : 1), 0);
  across_.assign(std::size_t{rows} * rows, 0);
  for (std::uint32_t target = 0; target < rows; ++target) {
    for (std::uint32_t source = 0; source < rows; ++source) {
      const double down = lattice_.row_distance(target, source);
      across_[std::size_t{target} * rows + source] =
          static_cast<float>(kindred::neighborhood(neighborhood_, down, 0));
      if (target > 1 && source > 1) continue;  // the table is filled
      float* table = tables_.data() + std::size_t{table_of(target, source)} * width();
      for (std::uint32_t i = 0; i < width(); ++i) {
        const double along = lattice_.column_distance(
            std::int64_t{i} - (lattice_.columns - std::int64_t{1}), target, source);
        table[i] =
            static_cast<float>(neighborhood_.cut ? kindred::neighborhood(neighborhood_, down, along)
                                                 : neighborhood_factor(neighborhood_.sigma, along));
      }
    }
  }
}

}  // namespace kindred
