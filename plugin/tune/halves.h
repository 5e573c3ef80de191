#pragma once

#include "gpu/document_set.h"
#include "plugin/tune/leakage.h"

namespace kindred {

/// Half of the voters: of the documents of each label, in the order of their docids, every second
/// one, and the first. Siblings come into one half, but for those by which it would have more than
/// half of a label.
DocumentSet half_of(const DocumentSet& voters, const Companions& siblings);

}  // namespace kindred
