#pragma once

#include <cstdint>

#include "gpu/som/codebook.h"
#include "gpu/som/lattice.h"
#include "gpu/som/rows.h"

namespace kindred {

/// Where the units begin.
enum class SomStart {
  kUniform,    ///< independent uniform numbers in [0, 1); for sparse rows, units of length 1
  kDocuments,  ///< rows drawn without repetition; once all are drawn, all again
  /// The mean of the rows plus the lattice laid over their two largest principal components, one
  /// standard deviation to each side (linear initialization: Kohonen, section 3.7). Components
  /// come from 30 rounds of orthogonal iteration.
  kPrincipalPlane
};

/// The first codebook. The same rows in the same order and the same seed give the same bits,
/// however the rows are partitioned. There must be rows.
SomCodebook start_codebook(const SomLattice& lattice, Partitions partitions, SomStart start,
                           std::uint64_t seed);

}  // namespace kindred
