#pragma once

#include <functional>
#include <memory>

#include "config/log.h"
#include "gpu/knn/backend.h"

namespace kindred {

/// Makes the spare, a backend of the CPU.
using MakeSpare = std::function<std::unique_ptr<const Backend>(SegmentListPointer mirror,
                                                               const TermWeighting& weighting)>;

/// A backend that answers as `device` does, to the last bit. Where the device fails, a spare
/// answers: for good after kDevice, for that one call after kOutOfMemory.
/// - `log`, if not empty, is told the first time that each of these happens.
/// - The spare is made when it is first needed.
/// - info() is that of the backend that answers.
/// - refreshed() makes a backend of the same kind.
std::unique_ptr<const Backend> fall_back(std::unique_ptr<const Backend> device,
                                         MakeSpare make_spare, SegmentListPointer mirror,
                                         const TermWeighting& weighting, Log log);

}  // namespace kindred
