#pragma once

#include <functional>
#include <memory>

#include "config/log.h"
#include "gpu/knn/backend.h"

namespace kindred {

/// Makes the backend that goes on: as make_backend(), on the CPU.
using MakeSpare = std::function<std::unique_ptr<const Backend>(
    CsrView mirror, const TermWeighting& weighting, LabelView labels)>;

/// A backend that answers as `device` does, to the last bit, and goes on with a spare where the
/// device fails: for good after kDevice, for the one call after kOutOfMemory. `log`, if not empty,
/// is told the first time of each. The spare is made of the borrowed mirror when it is needed
/// first; of a mirror that gained rows, of a copy. info() is that of the one that answers;
/// refreshed() makes a backend of the same kind.
std::unique_ptr<const Backend> fall_back(std::unique_ptr<const Backend> device,
                                         MakeSpare make_spare, CsrView mirror,
                                         const TermWeighting& weighting, LabelView labels, Log log);

}  // namespace kindred
