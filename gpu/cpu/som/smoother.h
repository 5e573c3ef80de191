#pragma once

#include <cstdint>
#include <vector>

#include "gpu/cpu/som/kernels.h"
#include "gpu/som/lattice.h"

namespace kindred::cpu {

/// Smooths images of one value per unit by a neighborhood: in two passes if its factors are
/// separable, else row by row. Values that are 0 cost nothing. Immutable; each thread brings its
/// own Scratch.
class SomSmoother {
 public:
  /// Borrows the factors.
  SomSmoother(const SomFactors& factors, const SomKernels& kernels)
      : factors_(factors), lattice_(factors.lattice()), kernels_(kernels) {}

  struct Scratch {
    std::vector<float> along;  ///< [2, units]: onto rows of the same shift, then of the other
    std::vector<std::uint32_t> rows;  ///< that hold a nonzero value
  };
  Scratch scratch() const;

  /// out[u] = sum over v of h(u, v) values[v]. Both are [units] and do not overlap.
  void smooth(const float* values, Scratch& scratch, float* out) const;

 private:
  const float* offsets(std::uint32_t table, std::uint32_t source_column) const;
  void smooth_along(const float* values, Scratch& scratch) const;
  void smooth_across(const Scratch& scratch, float* out) const;
  void smooth_cut(const float* values, float* out) const;

  const SomFactors& factors_;
  const SomLattice& lattice_;
  SomKernels kernels_;
};

}  // namespace kindred::cpu
