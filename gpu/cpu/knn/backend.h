#pragma once

#include <memory>

#include "gpu/knn/backend.h"
#include "gpu/options.h"

namespace kindred {

/// The Backend of kind "cpu"; contract as make_backend().
std::unique_ptr<const Backend> make_cpu_backend(CsrView mirror, const TermWeighting& weighting,
                                                std::size_t threads, LabelView labels,
                                                TileTiming tiles);

}  // namespace kindred
