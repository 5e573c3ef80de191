#pragma once

#include <cstddef>
#include <memory>

#include "gpu/som/twin.h"

namespace kindred::cpu {

/// The twin for processors. Errors as make_som_twin().
std::unique_ptr<SomTwin> make_cpu_som(const SomLattice& lattice, std::uint32_t columns,
                                      std::size_t threads);

}  // namespace kindred::cpu
