#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/scoring.h"

namespace kindred::cpu {

/// What the terms of a query add to coarse sums, in units of 2^shift.
struct CoarseContributions {
  std::span<const double> tf;  ///< of the mirror's weighting
  int shift = 0;

  /// By a term that a document has `count` times. 0 for counts that only dead rows have.
  std::uint32_t of(double factor, std::uint32_t count) const {
    constexpr double kLongest = 0x1.4p62;  // more than the length of any row that is not dead
    const double weight = count < tf.size() ? factor * tf[count] : 0;
    return coarse_contribution(contribution(1, weight > kLongest ? 0 : weight), shift);
  }
};

/// The list of a query's term in a tile (gpu/cpu/tiles.h).
struct Slice {
  const std::uint16_t* begin = nullptr;
  const std::uint16_t* end = nullptr;
  double factor = 0;
  bool has_planes = false;
  std::uint32_t left_out = 0;  ///< documents that have the term at most so often are not added
  std::uint32_t lacks = 0;     ///< the largest contribution to one of them
};

/// Chooses what a search leaves out: long lists that add next to nothing, such as those of common
/// words. Sums then lack no more than a bound, and answers stay exact (docs/scoring.md). Reuses its
/// memory from tile to tile; one thread at a time may use it.
class LeftOut {
 public:
  /// Sets what is left out of each slice, of which nothing is so far.
  /// @param documents of the tile
  /// @param most that a sum may lack, at most 2^28
  /// @return what the sum of a document lacks at most
  std::uint32_t choose(std::span<Slice> slices, std::uint32_t documents, double most,
                       const CoarseContributions& coarse);

 private:
  /// One count more that may be left out of a slice.
  struct Step {
    float gain;  ///< postings for each unit that sums lack
    std::uint32_t slice, count;
    std::uint32_t lacks;  ///< see Slice
  };

  void add_steps(std::uint32_t number, const Slice& slice, std::uint32_t documents, double most,
                 const CoarseContributions& coarse);

  std::vector<Step> steps_;
};

}  // namespace kindred::cpu
