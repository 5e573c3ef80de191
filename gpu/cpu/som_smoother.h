#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpu/cpu/som_kernels.h"
#include "gpu/som_lattice.h"
#include "gpu/som_neighborhood.h"

namespace kindred::cpu {

/// Smooths images of one value a unit by a neighborhood. The full Gaussian is separable on every
/// lattice here: first along the rows (on a hexagonal one twice: onto rows of the same shift and of
/// the other), then across them. A cut one is added row by row. Values that are 0 cost nothing.
/// Immutable; each thread brings its own Scratch.
class SomSmoother {
 public:
  SomSmoother(const SomLattice& lattice, const SomNeighborhood& neighborhood,
              const SomKernels& kernels);

  struct Scratch {
    std::vector<float> along;         ///< [2, units]: onto rows of the same shift, of the other
    std::vector<std::uint32_t> rows;  ///< that hold anything
  };
  Scratch scratch() const;

  /// out[u] = sum over v of h(u, v) values[v]; both [units], and apart.
  void smooth(const float* values, Scratch& scratch, float* out) const;

 private:
  /// How the rows of target and source are shifted against each other.
  enum Shift { kNone, kTargetRight, kTargetLeft, kShifts };

  Shift shift(std::uint32_t target_row, std::uint32_t source_row) const;
  std::size_t class_of(std::uint32_t target_row, std::uint32_t source_row) const;
  void fill_tables();
  const float* offsets(std::size_t table, std::uint32_t source_column) const;
  void smooth_along(const float* values, Scratch& scratch) const;
  void smooth_across(const Scratch& scratch, float* out) const;
  void smooth_cut(const float* values, float* out) const;

  SomLattice lattice_;
  SomNeighborhood neighborhood_;
  SomKernels kernels_;
  /// Tables of h, or of the factor along the rows, by column offset -(columns - 1) .. columns - 1:
  /// one a shift if separable, else one a distance of rows and shift.
  std::vector<float> table_;
  std::vector<float> across_;  ///< [rows, rows]: h of two units in the same place of their rows
};

}  // namespace kindred::cpu
