#pragma once

#include <cstdint>

#include "gpu/csr.h"
#include "gpu/document_set.h"
#include "gpu/segment_list.h"

namespace kindred {

/// The documents that vote: those of a set that have a label. Everything is borrowed.
struct Voters {
  CsrView postings;  ///< terms x places: transpose() of the mirror
  const DocumentSet& documents;

  const SegmentList& mirror() const { return documents.mirror(); }
  bool votes(std::uint32_t place) const {
    return documents.places().has(place) && !mirror().labels_at(place).empty();
  }
};

}  // namespace kindred
