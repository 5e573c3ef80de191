#include "gpu/som/twin.h"

#include <cstddef>
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

void check_columns(const SomRows& rows, std::uint32_t columns) {
  if (columns_of(rows) != columns)
    throw Error(Errc::kInvalidArgument, "rows of " + std::to_string(columns_of(rows)) +
                                            " columns for a map of " + std::to_string(columns));
}

SomTally& SomTally::operator+=(const SomTally& other) {
  rows += other.rows;
  moved += other.moved;
  torn += other.torn;
  distance += other.distance;
  return *this;
}

}  // namespace kindred
