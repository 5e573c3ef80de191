#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/row_set.h"
#include "gpu/segment_list.h"

namespace kindred {

/// The rows that a call may return, by their places.
struct AllowedRows {
  bool few = false;                 ///< then `rows` lists them, and they are scored one by one
  std::vector<std::uint32_t> rows;  ///< places, in the order of their numbers
  std::span<const std::uint64_t> borrowed{};  ///< RowSet::words() where numbers are places
  std::vector<std::uint64_t> moved{};         ///< the bits by place where they are not

  /// One bit for each place; that of a dead place may have any value. Empty: all may be returned,
  /// or `few` are.
  std::span<const std::uint64_t> words() const {
    return moved.empty() ? borrowed : std::span<const std::uint64_t>(moved);
  }
};

/// Those of `allowed` (null: all) that a mirror has; borrows its words.
AllowedRows allow_rows(const RowSet* allowed, const SegmentList& mirror);

}  // namespace kindred
