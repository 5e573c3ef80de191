#include "gpu/cpu/som/smoother.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace kindred::cpu {
namespace {

/// True if all values are 0. Has no early exit, so that the compiler makes vectors of it: most rows
/// of most columns are 0 throughout.
bool is_zero(const float* values, std::uint32_t size) {
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < size; ++i) bits |= std::bit_cast<std::uint32_t>(values[i]) << 1;
  return bits == 0;
}

}  // namespace

/// The factors of a source in this column for targets in columns 0, 1, 2, ...
const float* SomSmoother::offsets(std::uint32_t table, std::uint32_t source_column) const {
  return factors_.tables().data() + std::size_t{table} * factors_.width() +
         (lattice_.columns - 1 - source_column);
}

SomSmoother::Scratch SomSmoother::scratch() const {
  Scratch scratch;
  if (factors_.is_separable()) scratch.along.resize(2 * std::size_t{lattice_.units()});
  return scratch;
}

void SomSmoother::smooth(const float* values, Scratch& scratch, float* out) const {
  std::fill_n(out, lattice_.units(), 0.0f);
  if (factors_.is_separable()) {
    smooth_along(values, scratch);
    smooth_across(scratch, out);
  } else {
    smooth_cut(values, out);
  }
}

void SomSmoother::smooth_along(const float* values, Scratch& scratch) const {
  const std::uint32_t columns = lattice_.columns;
  scratch.rows.clear();
  for (std::uint32_t row = 0; row < lattice_.rows; ++row) {
    const float* source = values + std::size_t{row} * columns;
    if (is_zero(source, columns)) continue;
    scratch.rows.push_back(row);
    for (const std::uint32_t other : {row, row + 1}) {
      if (other != row && !lattice_.hexagonal) continue;
      float* target =
          scratch.along.data() + (other == row ? 0 : lattice_.units()) + std::size_t{row} * columns;
      std::fill_n(target, columns, 0.0f);
      const std::uint32_t table = factors_.table_of(other, row);
      for (std::uint32_t c = 0; c < columns; ++c)
        if (source[c] != 0) kernels_.add_scaled(source[c], offsets(table, c), columns, target);
    }
  }
}

void SomSmoother::smooth_across(const Scratch& scratch, float* out) const {
  const std::uint32_t columns = lattice_.columns;
  for (std::uint32_t target = 0; target < lattice_.rows; ++target) {
    for (const std::uint32_t source : scratch.rows) {
      const float factor = factors_.across()[std::size_t{target} * lattice_.rows + source];
      if (factor == 0) continue;
      const std::size_t shifted = factors_.is_shifted(target, source) ? lattice_.units() : 0;
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
      if (factors_.across()[std::size_t{target} * lattice_.rows + row] == 0) continue;
      kernels_.add_scaled(values[source], offsets(factors_.table_of(target, row), source % columns),
                          columns, out + std::size_t{target} * columns);
    }
  }
}

}  // namespace kindred::cpu
