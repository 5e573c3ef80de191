#pragma once

#include <cstddef>
#include <memory>

#include "gpu/knn/backend.h"
#include "gpu/knn/sharded_backend.h"
#include "gpu/options.h"

namespace kindred {

/// A backend of `devices` devices, at least one: `make` makes that of device i of the whole mirror,
/// or of some of its rows, as options.layout says. By "auto", rows are divided if a device throws
/// kOutOfMemory for the whole mirror; options.log is told. With options.coalesce, single queries
/// are put together: for each device that has the whole mirror, else for all.
/// @throws Error as `make`.
std::unique_ptr<const Backend> make_on_devices(std::size_t devices, const MakeShard& make,
                                               const SegmentListPointer& mirror,
                                               const TermWeighting& weighting,
                                               const BackendOptions& options);

}  // namespace kindred
