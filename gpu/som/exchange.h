#pragma once

#include <cstdint>
#include <span>

namespace kindred {

enum class SomReduction { kSum, kLargest };

/// Joins the processes that train one map, each on rows of its own. What they exchange are
/// integers, so every number of processes gives the same bits.
class SomExchange {
 public:
  virtual ~SomExchange() = default;

  /// Replaces each value by its sum, or its largest, over all processes. Every process makes the
  /// same calls in the same order, with as many values. Waits for the others.
  /// @throws whatever tells that another process is gone.
  virtual void all_reduce(std::span<std::int64_t> values, SomReduction reduction) = 0;
};

}  // namespace kindred
