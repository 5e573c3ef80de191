#pragma once

#include <cstdint>
#include <vector>

#include "gpu/knn/backend.h"

namespace kindred {

/// The rows that a call may return.
struct AllowedRows {
  const std::uint64_t* bits = nullptr;  ///< null: all
  bool few = false;                     ///< then `rows` lists them, and they are scored one by one
  std::vector<std::uint32_t> rows;
};

/// The set bits of `allowed` (null: all) below `rows`; borrows its words.
AllowedRows allow_rows(const RowBits* allowed, std::uint32_t rows);

}  // namespace kindred
