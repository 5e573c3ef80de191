#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kindred {

/// The weights of all units: [columns, units], so that the units of a column lie side by side.
struct SomCodebook {
  std::uint32_t units = 0;
  std::uint32_t columns = 0;
  std::vector<float> weight;

  float* column(std::uint32_t c) { return weight.data() + std::size_t{c} * units; }
  const float* column(std::uint32_t c) const { return weight.data() + std::size_t{c} * units; }
};

/// @throws Error kInvalidArgument if the codebook does not have this shape.
void check_shape(const SomCodebook& codebook, std::uint32_t units, std::uint32_t columns);

}  // namespace kindred
