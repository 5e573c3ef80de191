#pragma once

#include <xapian.h>
#include <optional>
#include <span>
#include <vector>

#include "plugin/answers/duplicates.h"

namespace kindred {

class Snapshot;

/// For each of `arrived`, in the order in which they arrived: the most similar of the documents
/// that are not among them or arrived earlier, by the smaller docid if several are; nothing if that
/// is less similar than `threshold`, or the snapshot does not have the document. If a docid is
/// there twice, its last place counts, and the others get nothing.
/// @throws Error kInvalidArgument (threshold outside (0, 1]).
std::vector<std::optional<NearDuplicate>> find_near_duplicates(
    const Snapshot& snapshot, std::span<const Xapian::docid> arrived, double threshold);

}  // namespace kindred
