#pragma once

#include <functional>
#include <memory>

#include "config/log.h"
#include "gpu/knn/backend.h"

namespace kindred {

/// Makes the spare, as make_backend() does on the CPU.
using MakeSpare = std::function<std::unique_ptr<const Backend>(
    CsrView mirror, const TermWeighting& weighting, LabelView labels)>;

/// A backend that answers as `device` does, to the last bit. Where the device fails, a spare
/// answers: for good after kDevice, for that one call after kOutOfMemory.
/// - `log`, if not empty, is told the first time that each of these happens.
/// - The spare is made when it is first needed: of the borrowed mirror, or of a copy if its
///   rows changed.
/// - info() is that of the backend that answers.
/// - refreshed() makes a backend of the same kind.
std::unique_ptr<const Backend> fall_back(std::unique_ptr<const Backend> device,
                                         MakeSpare make_spare, CsrView mirror,
                                         const TermWeighting& weighting, LabelView labels, Log log);

}  // namespace kindred
