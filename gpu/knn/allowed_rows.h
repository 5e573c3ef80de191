#pragma once

#include <cstdint>
#include <vector>

#include "gpu/knn/backend.h"

namespace kindred {

/// The rows that a call may return.
struct AllowedRows {
  const std::uint64_t* bits = nullptr;  ///< RowSet::words(); null: all
  bool few = false;                     ///< then `rows` lists them, and they are scored one by one
  std::vector<std::uint32_t> rows;
};

/// Those of `allowed` (null: all) that a mirror of `rows` rows has; borrows its words.
AllowedRows allow_rows(const RowSet* allowed, std::uint32_t rows);

}  // namespace kindred
