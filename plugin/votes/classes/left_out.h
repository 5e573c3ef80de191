#pragma once

#include <cstdint>
#include <span>

#include "plugin/votes/classes/sparse_vector.h"

namespace kindred {

class Counterparts;

/// A document that is subtracted from the sums: its unit vector and its labels, ascending.
struct LeftOut {
  SparseVector vector;
  std::span<const std::uint32_t> labels;
  /// If not null, of each other label a document is subtracted from the sum of that label.
  const Counterparts* counterparts = nullptr;
};

}  // namespace kindred
