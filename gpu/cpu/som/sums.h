#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/som/twin.h"

namespace kindred::cpu {

/// Sums of rows by unit, laid out [columns, stride].
struct SomSumsView {
  std::uint32_t units;
  std::uint32_t stride;  ///< padded units
  float* sum;
  std::uint64_t* hits;  ///< [units]
};

/// Adds every row to the sums of its best unit, in the order that SomPart says.
void add_rows(const SomRows& rows, std::span<const SomMatch> matches, std::size_t threads,
              const SomSumsView& sums);

}  // namespace kindred::cpu
