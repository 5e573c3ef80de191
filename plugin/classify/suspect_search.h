#pragma once

#include "gpu/row_set.h"
#include "plugin/answers.h"

namespace kindred {

class Classifier;
class MirroredDatabase;
class Snapshot;

/// Classifies every labeled document by the other voters. It is a suspect for a tag that it would
/// be given and lacks. If that tag excludes a label of the document (the two are hardly ever on one
/// document), and the vote for this label is nearly nothing, then the label is the suspect.
/// A tag that it must not get speaks against none: people have decided.
/// Titles are left empty. `asked`: the rows that match the query of the request; null: all.
/// @throws Error as Classifier::classify(), and kInvalidArgument if limit < 1; kCanceled by
/// on_progress; whatever on_progress throws.
SuspectReport find_suspects(MirroredDatabase& database, const Snapshot& snapshot,
                            const Classifier& classifier, const SuspectsRequest& request,
                            const RowSet* asked, const RowSet* voters);

}  // namespace kindred
