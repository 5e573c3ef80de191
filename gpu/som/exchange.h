#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "config/api.h"

namespace kindred {

enum class SomReduction { kSum, kLargest };

/// The sums of a map in training, in this process: [columns, units] integers, of which most are 0.
struct SomSumAccess {
  std::uint32_t units = 0;
  std::uint32_t columns = 0;
  /// Copies those of columns from `first` on, [n, units], and replaces them.
  std::function<void(std::uint32_t first, std::span<std::int64_t> sums)> read;
  std::function<void(std::uint32_t first, std::span<const std::int64_t> sums)> write;
};

/// Joins the processes that train one map, each on rows of its own. What they exchange are
/// integers, so every number of processes gives the same bits. Every process makes the same calls
/// in the same order, in one thread at a time.
class KINDRED_API SomExchange {
 public:
  virtual ~SomExchange() = default;

  virtual std::size_t rank() const = 0;  ///< of this process, from 0
  virtual std::size_t size() const = 0;  ///< how many there are, at least 1

  /// Replaces each value by its sum, or its largest, over all processes. Every process has as many
  /// values. Waits for the others.
  /// @throws whatever tells that another process is gone.
  virtual void all_reduce(std::span<std::int64_t> values, SomReduction reduction) = 0;

  /// Replaces the sums of an epoch by those of all processes, likewise.
  virtual void add_up(const SomSumAccess& sums) = 0;
};

// Integers of which most are 0 or small, as bytes for messages: how many there are, how many of
// them are not 0, and for each of these, how many zeros come before it, and its value, all in 7
// bits a byte.

KINDRED_API std::string packed_values(std::span<const std::int64_t> values);

/// Adds to `values` those that packed_values() has packed.
/// @throws Error kInternal if those were of another number; kCorrupt if the bytes are no such list.
KINDRED_API void add_values(std::string_view bytes, std::span<std::int64_t> values);

}  // namespace kindred
