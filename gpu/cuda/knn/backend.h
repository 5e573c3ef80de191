#pragma once

#include <memory>

#include "gpu/knn/backend.h"
#include "gpu/options.h"

namespace kindred {

/// The Backend of kind "cuda"; contract as make_backend(). Host memory that is page-locked is read
/// and written in place by large calls; other memory is copied through buffers.
/// @throws Error kUnsupported if no device answers.
std::unique_ptr<const Backend> make_cuda_backend(SegmentListPointer mirror,
                                                 const TermWeighting& weighting,
                                                 const BackendOptions& options);

}  // namespace kindred
