#pragma once

#include <memory>

#include "gpu/knn/backend.h"
#include "gpu/options.h"

namespace kindred {

/// The Backend of kind "cpu"; contract as make_backend(). `longest_elsewhere`: as
/// Backend::refreshed().
std::unique_ptr<const Backend> make_cpu_backend(SegmentListPointer mirror,
                                                const TermWeighting& weighting, std::size_t threads,
                                                TileTiming tiles, double longest_elsewhere = 0);

}  // namespace kindred
