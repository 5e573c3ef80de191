#pragma once

#include <cstdint>
#include <vector>

#include "gpu/som/lattice.h"
#include "plugin/topics/sparse_codebook.h"

namespace kindred {

/// Groups units that hang together on the lattice: agglomeration of neighbors only, each time of
/// the two groups whose union raises the sum of squares least (Ward 1963),
///
///     w_a w_b / (w_a + w_b) |a - b|^2
///
/// with w the documents of a group (an empty unit weighs as half a document). Deterministic.
/// @param count groups wanted; 0 finds a number from 12 to 48: the one before which the cost of a
/// union rises most, as a ratio to the one before it.
/// @return the group of each unit, from 0, the group with most documents first.
std::vector<std::uint32_t> group_units(const SomLattice& lattice, const SparseCodebook& codebook,
                                       const std::vector<std::uint32_t>& hits, std::size_t count);

}  // namespace kindred
