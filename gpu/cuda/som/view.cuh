#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/som/twin.h"

namespace kindred::cuda {

/// Units whose weights for a column lie side by side: one cache line.
inline constexpr std::uint32_t kSliceUnits = 32;

/// How a unit's sums are kept: gpu/som/grid.h.
struct alignas(16) SomUnitGrid {
  float scale, quantum;
  std::uint32_t slot;  ///< among the wide units; SomGrid::kNarrow if it is none
};

/// A codebook on the device, in slices of units: what is read often of a slice stays in the
/// first-level cache while all rows pass by.
struct SomMapView {
  std::uint32_t units = 0, columns = 0;
  float* weight = nullptr;         ///< [slices, columns, kSliceUnits]
  float* squared_norm = nullptr;   ///< [slices, kSliceUnits], infinity for padding
  double* exact_norm = nullptr;    ///< the same before it was rounded
  SomUnitGrid* grid = nullptr;     ///< [units]
  std::int32_t* narrow = nullptr;  ///< sums of narrow units, [units, columns]
  std::int64_t* wide = nullptr;    ///< sums of wide units, [wide units, columns]

  __host__ __device__ std::uint32_t slices() const {
    return (units + kSliceUnits - 1) / kSliceUnits;
  }
  __device__ std::size_t place(std::uint32_t unit, std::uint32_t column) const {
    return (std::size_t{unit / kSliceUnits} * columns + column) * kSliceUnits + unit % kSliceUnits;
  }
  __device__ std::int32_t& narrow_sum(std::uint32_t unit, std::uint32_t column) const {
    return narrow[std::size_t{unit} * columns + column];
  }
  __device__ std::int64_t& wide_sum(std::uint32_t slot, std::uint32_t column) const {
    return wide[std::size_t{slot} * columns + column];
  }
};

struct alignas(8) SomEntry {
  std::uint32_t column;
  float value;
};

/// Rows on the device.
struct SomRowsView {
  std::uint32_t rows = 0;
  const std::uint64_t* row_begin = nullptr;  ///< rows + 1, from `base` on
  std::uint64_t base = 0;
  const SomEntry* entry = nullptr;
  const std::uint32_t* near = nullptr;  ///< entries of a row whose column is a near one, [rows]

  __device__ std::uint64_t begin(std::uint32_t row) const { return row_begin[row] - base; }
  __device__ std::uint32_t size(std::uint32_t row) const {
    return static_cast<std::uint32_t>(row_begin[row + std::size_t{1}] - row_begin[row]);
  }
  __device__ std::uint32_t near_size(std::uint32_t row) const { return near[row]; }
  /// Entry i of a row. A kernel reads it only once, so the cache may drop it first.
  __device__ SomEntry at(std::uint64_t begin, std::uint32_t i) const;
};

#ifdef __CUDACC__  // sources without kernels know views, but no intrinsics
inline __device__ SomEntry SomRowsView::at(std::uint64_t begin, std::uint32_t i) const {
  const float2 raw = __ldcs(reinterpret_cast<const float2*>(entry + begin + i));
  return {__float_as_uint(raw.x), raw.y};
}
#endif

}  // namespace kindred::cuda
