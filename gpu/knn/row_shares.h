#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kindred {

/// Cuts rows into `parts` shares of consecutive rows, some of which may be empty, so that the
/// costliest share costs as little as possible, and the others about the same as each other.
/// `cost[i]` is that of row i. Returns the first row of each share and the number of rows:
/// [parts + 1].
std::vector<std::uint32_t> share_rows(std::span<const std::uint32_t> cost, std::uint32_t parts);

/// The cost of the costliest of shares.
std::uint64_t largest_share(std::span<const std::uint32_t> cost,
                            std::span<const std::uint32_t> begin);

}  // namespace kindred
