#pragma once

#include <cstdint>

#include "gpu/cuda/device/mirror_view.cuh"

namespace kindred::cuda {

/// Where a row's columns and counts are, in aligned quads: the first begins `lead` entries before
/// the row.
struct RowQuads {
  std::uint64_t column;  // address of the first quad, plus lead
  std::uint64_t count;   // address of its counts, plus the entries after the row in the last quad
  std::uint32_t quads;
  std::uint32_t next;  // quad to go on with

  static __device__ RowQuads of(const SegmentView& segment, std::uint32_t row) {
    const std::uint64_t begin = segment.row_begin[row], end = segment.row_begin[row + 1];
    const std::uint64_t first = begin / 4, last = (end + 3) / 4;  // quads of the segment
    return {reinterpret_cast<std::uint64_t>(segment.column + first * 4) + begin % 4,
            reinterpret_cast<std::uint64_t>(segment.count + first * 4) + (last * 4 - end),
            static_cast<std::uint32_t>(last - first), 0};
  }
  __device__ const std::uint32_t* first_column() const {
    return reinterpret_cast<const std::uint32_t*>(column & ~std::uint64_t{3});
  }
  __device__ const uint4* columns() const { return reinterpret_cast<const uint4*>(first_column()); }
  __device__ const std::uint32_t* counts() const {
    return reinterpret_cast<const std::uint32_t*>(count & ~std::uint64_t{3});
  }
  /// One bit for each entry of one of the row's quads: 1 if it is the row's.
  __device__ std::uint32_t entries_of(std::uint32_t quad) const {
    const std::uint32_t from = quad == 0 ? 0xFu << column % 4 : 0xFu;
    return quad + 1 == quads ? from & 0xFu >> count % 4 : from;
  }
};

}  // namespace kindred::cuda
