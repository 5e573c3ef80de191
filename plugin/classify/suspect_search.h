#pragma once

#include <cstddef>
#include <vector>

#include "gpu/knn/backend.h"
#include "plugin/answers/suspects.h"

namespace kindred {

class Classifier;
class MirroredDatabase;
class Snapshot;

/// Classifies every labeled document by the other voters. A document is a suspect if a label that
/// it lacks gets a larger share of the vote than a label that it has. A label that it must not get
/// speaks against none: people have decided. Suspects are sorted by margin, descending, then by
/// docid. A document that is similar to no voter is not a suspect.
/// Titles are left empty. `asked`: the rows that match the query of the request; null: all.
/// @throws Error as Classifier::classify(), and kInvalidArgument if limit < 1; kCanceled by
/// on_progress; whatever on_progress throws.
SuspectReport find_suspects(MirroredDatabase& database, const Snapshot& snapshot,
                            const Classifier& classifier, const SuspectsRequest& request,
                            const RowSet* asked, const RowSet* voters);

}  // namespace kindred
