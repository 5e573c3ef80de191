#pragma once

#include <span>

#include "gpu/knn/backend.h"

// What backends on several devices share.

namespace kindred {

/// Several devices as one: their names as "2 x NVIDIA H200", with ", " between those that differ,
/// and the sum of their bytes. Kind and compute capability are those of the first, which must
/// exist.
BackendInfo joined_info(std::span<const BackendInfo> devices);

/// `change` for several backends that are refreshed at the same time: only one at a time is told
/// which rows hold a term. Borrows `change`.
MirrorChange for_threads(const MirrorChange& change);

}  // namespace kindred
