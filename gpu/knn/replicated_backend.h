#pragma once

#include <memory>
#include <vector>

#include "config/log.h"
#include "gpu/knn/backend.h"

namespace kindred {

/// A backend that answers as each of `replicas` does, to the last bit: several devices, or a device
/// named several times, that hold the same mirror.
/// - A call of many queries is dealt out in pieces, each to a device that has become free. Every
///   piece is written to its own range of the answer.
///   A call drives as many devices as it may have threads: `threads`, 0 = one per core.
/// - A smaller call goes as a whole to the device that answers the fewest calls.
/// - Where a device fails, the others do its work: for good after kDevice, for that one call after
///   kOutOfMemory. `log`, if not empty, is told the first time that each of these happens to a
///   device. The error is thrown if it happens to all devices.
/// - refreshed() refreshes all that are not lost, at the same time. A device that has not enough
///   memory for that does not answer, and the next refreshed() tries it again. One that fails
///   otherwise has no part in the result.
/// - info() names all that are not lost, and adds up their bytes.
///
/// @throws Error kInvalidArgument if there are no replicas.
std::unique_ptr<const Backend> replicate(std::vector<std::unique_ptr<const Backend>> replicas,
                                         std::size_t threads, Log log = {});

}  // namespace kindred
