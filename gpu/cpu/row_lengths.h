#pragma once

#include <cstddef>

#include "gpu/cpu/aligned_array.h"
#include "gpu/cpu/instruction_set.h"
#include "gpu/queries.h"
#include "gpu/segment_list.h"

namespace kindred::cpu {

/// How lengths are measured: the instruction set, and the number of threads (gpu/workers.h).
struct MeasureOptions {
  InstructionSet set;
  std::size_t threads;
};

/// The lengths of a mirror's rows under a weighting, by their places (docs/scoring.md); 0 for dead
/// ones. The rows have passed the checks of ExactScores.
/// @throws Error kInvalidArgument that names a row whose length is not finite.
AlignedArray<double> measure_lengths(const SegmentList& mirror, const TermWeighting& weighting,
                                     const MeasureOptions& options);

}  // namespace kindred::cpu
