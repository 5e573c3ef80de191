#pragma once

#include <algorithm>
#include <cstdint>

namespace kindred::cuda {

/// Every lane of a warp, for functions that take a mask of lanes.
inline constexpr unsigned kWholeWarp = 0xFFFFFFFFu;

/// The threads of a block, in kernels that do not depend on it.
inline constexpr unsigned kBlockThreads = 256;

/// How many blocks `items` need when each handles `per_block`: at least one, as a grid cannot be
/// empty.
inline unsigned blocks_for(std::uint64_t items, unsigned per_block = kBlockThreads) {
  return static_cast<unsigned>(std::max<std::uint64_t>(1, (items + per_block - 1) / per_block));
}

}  // namespace kindred::cuda
