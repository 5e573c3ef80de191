#pragma once

#include <cstddef>
#include <vector>

#include "gpu/knn/backend.h"
#include "plugin/answers/suspects.h"

namespace kindred {

class Classifier;
class Snapshot;

/// Lets every labeled document be classified by the other voters and returns those for which a
/// label that they lack got a larger share of the vote than one that they have: largest margin
/// first, then docid ascending. A document that is similar to none is no suspect.
/// @throws Error as Classifier::classify(), and kInvalidArgument if limit < 1.
std::vector<Suspect> find_suspects(const Snapshot& snapshot, const Classifier& classifier,
                                   const SuspectsRequest& request, const RowSet* voters);

}  // namespace kindred
