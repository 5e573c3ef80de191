#include "gpu/som/codebook.h"

#include <string>

#include "config/error.h"

namespace kindred {

void check_shape(const SomCodebook& codebook, std::uint32_t units, std::uint32_t columns) {
  if (codebook.units != units || codebook.columns != columns ||
      codebook.weight.size() != std::size_t{columns} * units)
    throw Error(Errc::kInvalidArgument, "a codebook of " + std::to_string(codebook.units) +
                                            " units and " + std::to_string(codebook.columns) +
                                            " columns; expected " + std::to_string(units) +
                                            " and " + std::to_string(columns));
}

}  // namespace kindred
