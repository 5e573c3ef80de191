#pragma once

#include <cstdint>

namespace kindred {

/// A row's two nearest units, by Euclidean distance and then by number.
struct SomMatch {
  std::uint32_t unit = 0;
  std::uint32_t second = kNoUnit;  ///< kNoUnit on a map of one unit
  double distance = 0;             ///< to `unit`, finished in double

  static constexpr std::uint32_t kNoUnit = UINT32_MAX;
  friend bool operator==(const SomMatch&, const SomMatch&) = default;
};

/// The outcome of a match of a part's rows.
struct SomTally {
  std::uint64_t rows = 0;
  std::uint64_t moved = 0;  ///< whose best unit differs from the last match; at first all
  std::uint64_t torn = 0;   ///< whose second-best unit is not a neighbor of the best
  double distance = 0;      ///< to the best units, summed

  SomTally& operator+=(const SomTally& other) {
    rows += other.rows;
    moved += other.moved;
    torn += other.torn;
    distance += other.distance;
    return *this;
  }
};

}  // namespace kindred
