#pragma once

#include "gpu/row_set.h"
#include "plugin/answers.h"

namespace kindred {

class Classifier;
class MirroredDatabase;
class Snapshot;

/// Classifies the documents that lack a label, and ranks them by the confidence in it. Left out are
/// those that got no vote for it, that must not get it, or that opted out of predicted tags.
/// @param allowed the rows that match request.filter; null: all.
/// @param voters as Classifier::classify().
/// @throws Error kInvalidArgument (limit < 1, min_confidence outside [0, 1]); kNotFound for a label
/// that no document has; kCanceled by on_progress; as Classifier::classify(); whatever on_progress
/// throws.
CandidateReport find_candidates(MirroredDatabase& database, const Snapshot& snapshot,
                                const Classifier& classifier, const CandidatesRequest& request,
                                const RowSet* allowed, const RowSet* voters);

}  // namespace kindred
