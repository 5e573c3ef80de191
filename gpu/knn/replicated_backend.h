#pragma once

#include <memory>
#include <vector>

#include "gpu/knn/backend.h"

namespace kindred {

/// A backend that answers as each of `replicas` does, to the last bit: several devices, or a device
/// named several times, that hold the same mirror.
/// - A call of many queries is split into chunks, each for a device that has become free. Every
///   chunk is written to its own range of the answer.
///   A call drives as many devices as it may have threads: `threads`, 0 = one per core.
/// - A smaller call goes as a whole to the device that answers the fewest calls.
/// - If a device fails, its error is thrown.
/// - refreshed() refreshes all at the same time.
/// - info() names all, and adds up their bytes.
///
/// @throws Error kInvalidArgument if there are no replicas.
std::unique_ptr<const Backend> replicate(std::vector<std::unique_ptr<const Backend>> replicas,
                                         std::size_t threads);

}  // namespace kindred
