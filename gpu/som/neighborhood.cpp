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

}  // namespace kindred
