#pragma once

#include <cstdint>
#include <span>

namespace kindred {

/// A sparse vector, borrowed: terms strictly ascending.
struct SparseVector {
  std::span<const std::uint32_t> terms;
  std::span<const double> weights;
};

}  // namespace kindred
