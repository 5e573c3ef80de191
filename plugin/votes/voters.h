#pragma once

#include <cstdint>

#include "gpu/csr.h"
#include "gpu/knn/backend.h"
#include "gpu/row_set.h"

namespace kindred {

/// Documents that teach: those of `rows` that have a label. Everything is borrowed.
struct TrainingRows {
  CsrView postings;    ///< terms x documents: transpose() of the mirror
  LabelView labels;    ///< one row for each document of the mirror
  const RowSet& rows;  ///< covers every document

  bool teaches(std::uint32_t row) const { return rows.has(row) && !labels.of(row).empty(); }
};

}  // namespace kindred
