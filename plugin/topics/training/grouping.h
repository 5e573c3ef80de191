#pragma once

#include <cstdint>
#include <vector>

#include "gpu/som/lattice.h"
#include "plugin/topics/sparse_codebook.h"

namespace kindred {

/// Joins units to groups that are connected on the lattice. Each step joins the two neighboring
/// groups whose union raises the sum of squares least (Ward 1963),
///
///     w_a w_b / (w_a + w_b) |a - b|^2
///
/// with w the documents of a group (an empty unit weighs as half a document). Deterministic.
/// @param count how many groups; 0: the number at which the cost of one more union is largest, as a
/// ratio to the cost of the union before. Numbers from 3/4 to 3/2 of the square root of the number
/// of units are looked at, so a topic of a map with n units has about sqrt(n) of them.
/// @return the group of each unit, from 0, the group with most documents first.
std::vector<std::uint32_t> group_units(const SomLattice& lattice, const SparseCodebook& codebook,
                                       const std::vector<std::uint32_t>& hits, std::size_t count);

}  // namespace kindred
