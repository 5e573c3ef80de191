#pragma once

#include <span>
#include <vector>

#include "gpu/cuda/som/map.cuh"
#include "gpu/cuda/som/rows.cuh"

namespace kindred::cuda {

/// Rows of one unit that one block adds up: members [first, first + size) of the rows by unit, at
/// most SomGrid::kNarrowRows.
struct SomSegment {
  std::uint32_t unit;
  std::uint32_t first;
  std::uint32_t size;
};

/// Adds rows to the sums of their best units. Keeps memory between calls.
class SomAccumulator {
 public:
  explicit SomAccumulator(DevicePointer device) : device_(std::move(device)) {}

  /// Room for calls of `rows` rows. @throws Error kOutOfMemory.
  void reserve(const SomMapView& map, std::uint32_t rows);

  /// Adds to hits[u], [units], how many rows have u as their best unit. Waits.
  void count_hits(const SomMatch* matches, std::uint32_t rows, std::span<std::int64_t> hits);

  /// Adds the rows to the sums of the map, on its grid. Waits.
  void add(const DeviceSomRows& rows, const SomMatch* matches, const SomMapView& map);

 private:
  std::vector<SomSegment> group(const SomMatch* matches, std::uint32_t rows, std::uint32_t units);

  DevicePointer device_;
  DeviceBuffer<std::uint32_t> unit_;
  DeviceBuffer<std::uint32_t> unit_sorted_;
  DeviceBuffer<std::uint32_t> row_;
  DeviceBuffer<std::uint32_t> row_by_unit_;
  DeviceBuffer<std::uint32_t> begin_;
  DeviceBuffer<std::uint32_t> hits_;
  DeviceBuffer<SomSegment> segment_;
};

}  // namespace kindred::cuda
