#pragma once

#include <span>

#include "gpu/knn/backend.h"

// What backends on several devices share.

namespace kindred {

/// Several devices as one: their names as "2 x NVIDIA H200", with ", " between those that differ,
/// and the sum of their bytes. Kind and compute capability are those of the first, which must
/// exist.
BackendInfo joined_info(std::span<const BackendInfo> devices);

}  // namespace kindred
