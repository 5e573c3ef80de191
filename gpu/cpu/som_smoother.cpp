#include "gpu/cpu/som_smoother.h"

#include <algorithm>
#include <cstddef>

namespace kindred::cpu {

SomSmoother::SomSmoother(const SomLattice& lattice, const SomNeighborhood& neighborhood,
                         const SomKernels& kernels)
    : lattice_(lattice), neighborhood_(neighborhood), kernels_(kernels) {
  fill_tables();
}

SomSmoother::Shift SomSmoother::shift(std::uint32_t target_row, std::uint32_t source_row) const {
  if (!lattice_.hexagonal || target_row % 2 == source_row % 2) return kNone;
  return target_row % 2 == 1 ? kTargetRight : kTargetLeft;
}

std::size_t SomSmoother::class_of(std::uint32_t target_row, std::uint32_t source_row) const {
  const std::size_t apart =
      target_row > source_row ? target_row - source_row : source_row - target_row;
  return (neighborhood_.cut ? apart * kShifts : 0) + shift(target_row, source_row);
}

/// Any two rows of a class stand for all of it: the distance along the rows depends on the shift
/// only, that across them on how far the rows are apart.
void SomSmoother::fill_tables() {
  const std::uint32_t rows = lattice_.rows, columns = lattice_.columns;
  const std::size_t width = 2 * std::size_t{columns} - 1;
  table_.assign(width * kShifts * (neighborhood_.cut ? rows : 1), 0);
  across_.assign(std::size_t{rows} * rows, 0);
  for (std::uint32_t target = 0; target < rows; ++target) {
    for (std::uint32_t source = 0; source < rows; ++source) {
      const double down = lattice_.row_distance(target, source);
      across_[std::size_t{target} * rows + source] =
          static_cast<float>(neighborhood(neighborhood_, down, 0));
      if (target > 1 && source > 1) continue;  // the class is filled
      float* table = table_.data() + class_of(target, source) * width;
      for (std::size_t i = 0; i < width; ++i) {
        const double along = lattice_.column_distance(
            static_cast<std::int64_t>(i) - (columns - std::int64_t{1}), target, source);
        table[i] =
            static_cast<float>(neighborhood_.cut ? neighborhood(neighborhood_, down, along)
                                                 : neighborhood_factor(neighborhood_.sigma, along));
      }
    }
  }
}

/// The factors of a source in this column for targets in columns 0, 1, 2, ...
const float* SomSmoother::offsets(std::size_t table, std::uint32_t source_column) const {
  const std::size_t width = 2 * std::size_t{lattice_.columns} - 1;
  return table_.data() + table * width + (lattice_.columns - 1 - source_column);
}

SomSmoother::Scratch SomSmoother::scratch() const {
  Scratch scratch;
  if (!neighborhood_.cut) scratch.along.resize(2 * std::size_t{lattice_.units()});
  return scratch;
}

void SomSmoother::smooth(const float* values, Scratch& scratch, float* out) const {
  std::fill_n(out, lattice_.units(), 0.0f);
  if (neighborhood_.cut) {
    smooth_cut(values, out);
  } else {
    smooth_along(values, scratch);
    smooth_across(scratch, out);
  }
}

void SomSmoother::smooth_along(const float* values, Scratch& scratch) const {
  const std::uint32_t columns = lattice_.columns;
  scratch.rows.clear();
  for (std::uint32_t row = 0; row < lattice_.rows; ++row) {
    const float* source = values + std::size_t{row} * columns;
    if (std::all_of(source, source + columns, [](float value) { return value == 0; })) continue;
    scratch.rows.push_back(row);
    for (const std::uint32_t other : {row, row + 1}) {
      if (other != row && !lattice_.hexagonal) continue;
      float* target =
          scratch.along.data() + (other == row ? 0 : lattice_.units()) + std::size_t{row} * columns;
      std::fill_n(target, columns, 0.0f);
      const std::size_t table = shift(other, row);
      for (std::uint32_t c = 0; c < columns; ++c)
        if (source[c] != 0) kernels_.add_scaled(source[c], offsets(table, c), columns, target);
    }
  }
}

void SomSmoother::smooth_across(const Scratch& scratch, float* out) const {
  const std::uint32_t columns = lattice_.columns;
  for (std::uint32_t target = 0; target < lattice_.rows; ++target) {
    for (const std::uint32_t source : scratch.rows) {
      const float factor = across_[std::size_t{target} * lattice_.rows + source];
      if (factor == 0) continue;
      const std::size_t shifted = shift(target, source) == kNone ? 0 : lattice_.units();
      kernels_.add_scaled(factor, scratch.along.data() + shifted + std::size_t{source} * columns,
                          columns, out + std::size_t{target} * columns);
    }
  }
}

void SomSmoother::smooth_cut(const float* values, float* out) const {
  const std::uint32_t columns = lattice_.columns;
  for (std::uint32_t source = 0; source < lattice_.units(); ++source) {
    if (values[source] == 0) continue;
    const std::uint32_t row = source / columns;
    for (std::uint32_t target = 0; target < lattice_.rows; ++target) {
      if (across_[std::size_t{target} * lattice_.rows + row] == 0) continue;
      kernels_.add_scaled(values[source], offsets(class_of(target, row), source % columns), columns,
                          out + std::size_t{target} * columns);
    }
  }
}

}  // namespace kindred::cpu
