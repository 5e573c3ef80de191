#pragma once

#include <memory>

#include "gpu/options.h"
#include "gpu/som/twin.h"

namespace kindred {

/// The SomTwin of kind "cuda". @throws Error as make_som_twin(); kUnsupported if no device answers.
std::unique_ptr<SomTwin> make_cuda_som(const SomLattice& lattice, std::uint32_t columns,
                                       const BackendOptions& options);

}  // namespace kindred
