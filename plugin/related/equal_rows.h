#pragma once

#include <cstdint>
#include <vector>

#include "gpu/csr.h"
#include "gpu/row_set.h"

namespace kindred {

/// In first_equal_rows(): the row has no entries, or was not asked about.
inline constexpr std::uint32_t kNoEqualRow = UINT32_MAX;

/// For each row of `counts` the first row that has the same entries, which may be itself. Only rows
/// of `among` are considered, if it is given.
std::vector<std::uint32_t> first_equal_rows(CsrView counts, const RowSet* among);

}  // namespace kindred
