#pragma once

#include <cstdint>

#include "gpu/som/lattice.h"

namespace kindred {

/// How strongly a unit follows the documents of another one at squared distance d^2 (Kohonen,
/// Self-Organizing Maps, 3rd edition, section 3.3): h = exp(-d^2 / (2 sigma^2)). A full
/// neighborhood is the product of two such factors, one for the distance across the rows and one
/// for the distance along them; a factor below 2^-50 counts as 0. A cut neighborhood is 0 where d^2
/// > sigma^2.
struct SomNeighborhood {
  double sigma = 1;  ///< > 0
  bool cut = false;
};

/// A factor of the full neighborhood at this distance.
double neighborhood_factor(double sigma, double distance);

/// h for two units, given their distance across and along the rows.
double neighborhood(const SomNeighborhood& neighborhood, double down, double across);

}  // namespace kindred
