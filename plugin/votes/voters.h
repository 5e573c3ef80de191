#pragma once

#include <cstdint>

#include "gpu/csr.h"
#include "gpu/row_set.h"
#include "plugin/mirror/row_counts.h"

namespace kindred {

/// The documents that vote: those of `rows` that have a label. Everything is borrowed.
struct Voters {
  CsrView postings;    ///< terms x documents: transpose() of the mirror
  RowLabels labels;    ///< one row for each document of the mirror
  const RowSet& rows;  ///< covers every document

  bool votes(std::uint32_t row) const { return rows.has(row) && !labels.of(row).empty(); }
};

}  // namespace kindred
