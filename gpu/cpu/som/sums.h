#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cpu/aligned_array.h"
#include "gpu/cpu/som/kernels.h"
#include "gpu/som/grid.h"
#include "gpu/som/match.h"
#include "gpu/som/rows.h"

namespace kindred::cpu {

/// Columns that a thread takes at a time when it goes through a codebook or sums.
inline constexpr std::uint32_t kSomColumns = 64;

/// The sums of rows by unit, as integers on a grid. Narrow units lie side by side, so that the step
/// reads them as it writes the codebook. A wide unit has its columns side by side.
class SomSums {
 public:
  /// `stride`: padded units.
  SomSums(std::uint32_t units, std::uint32_t stride, std::uint32_t columns, std::size_t threads)
      : units_(units),
        stride_(stride),
        columns_(columns),
        threads_(threads),
        quanta_(stride),
        narrow_(std::size_t{columns} * stride) {}

  /// Empties the sums and takes the grid.
  void begin(const SomGrid& grid);
  /// Drops the sums. The grid is that of no rows then.
  void drop() { begin(SomGrid({}, std::vector<std::int64_t>(units_))); }

  const SomGrid& grid() const { return grid_; }

  /// Adds every row to the sums of its best unit.
  void add(const SomRows& rows, std::span<const SomMatch> matches);

  /// As SomTwin.
  void read(std::uint32_t first, std::span<std::int64_t> sums) const;
  void write(std::uint32_t first, std::span<const std::int64_t> sums);

  /// Rounds the sums of a column to float, [stride], aligned to 64 bytes, and empties those of
  /// narrow units. Threads may take different columns at once.
  void take(std::uint32_t column, const SomKernels& kernels, float* values);

 private:
  std::int32_t* narrow(std::uint32_t column) const {
    return narrow_.data() + std::size_t{column} * stride_;
  }

  const std::uint32_t units_;
  const std::uint32_t stride_;
  const std::uint32_t columns_;
  const std::size_t threads_;
  SomGrid grid_;
  AlignedArray<float> quanta_;           // [stride], those of the grid
  AlignedArray<std::int32_t> narrow_;    // [columns, stride]
  std::vector<std::int64_t> wide_;       // [wide units, columns]
  std::atomic<std::uint32_t> full_ = 0;  // columns of narrow_ that may hold other values than 0
};

}  // namespace kindred::cpu
