#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace kindred {

/// Puts documents into an order drawn at random (Fisher and Yates 1938), for folds and samples. The
/// shuffle of the standard library may be another one elsewhere; this one gives the same order for
/// the same documents and seed on every platform.
inline void shuffle(std::vector<Xapian::docid>& docids, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t left = docids.size(); left > 1; --left)
    std::swap(docids[left - 1], docids[random() % left]);
}

}  // namespace kindred
