#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cpu/instruction_set.h"
#include "gpu/som/rows.h"

namespace kindred::cpu {

/// Units are padded to a multiple of this; a row of the codebook is aligned to it.
inline constexpr std::uint32_t kSomLanes = 16;

/// A codebook as the kernels read it.
struct SomCodebookView {
  std::uint32_t columns;
  std::uint32_t stride;       ///< padded units
  const float* weight;        ///< [columns, stride], 64-byte aligned
  const float* squared_norm;  ///< [stride], infinity for padding
};

/// The two best units of a row and their |w|^2 - 2 x.w; UINT32_MAX and infinity where there is
/// none.
struct SomBest {
  float score[2];
  std::uint32_t unit[2];
};

/// Rows per call of a kernel: as many as fit the first-level cache beside the codebook.
inline constexpr std::uint32_t kSomBlock = 64;

/// The kernels of one instruction set. All sets give the same bits: each x.w is added up in the
/// order of the columns, with one rounding per multiplication and one per addition.
struct SomKernels {
  /// Finds the best units of rows [begin, end), at most kSomBlock of them.
  void (*match)(const SomCodebookView& codebook, const SomRows& rows, std::uint32_t begin,
                std::uint32_t end, SomBest* best);
  /// target[i] += factor * source[i] for i < size.
  void (*add_scaled)(float factor, const float* source, std::size_t size, float* target);
  /// values[i] = sums[i] * quanta[i], and sums[i] = 0, for i < size. All are aligned to 64 bytes
  /// and size is a multiple of kSomLanes.
  void (*take)(const float* quanta, std::size_t size, std::int32_t* sums, float* values);
};

SomKernels choose_som_kernels(InstructionSet set);

}  // namespace kindred::cpu
