#pragma once

#include "gpu/knn/backend.h"

namespace kindred::cuda {

/// Writes a share, padding included, since its bytes are copied to the host as they are.
inline __device__ void write_share(LabelShare* to, const LabelShare& share) {
  static_assert(sizeof(LabelShare) == 16 && alignof(LabelShare) == 8);
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(share.share));
  *reinterpret_cast<uint2*>(to) = {share.label, 0};
  reinterpret_cast<unsigned long long*>(to)[1] = bits;
}

}  // namespace kindred::cuda
