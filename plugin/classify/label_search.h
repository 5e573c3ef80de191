#pragma once

#include "gpu/document_set.h"
#include "plugin/classify/classifier.h"
#include "plugin/classify/kept_suspects.h"
#include "plugin/requests.h"
#include "plugin/snapshot/mirrored_database.h"

// Which documents lack a label, or have one by mistake, as their voters see it. Words of terms are
// left empty, and titles, but for those of candidates.

namespace kindred {

/// Classifies the documents that lack a label, and ranks them by the confidence in it. Left out are
/// those that got no vote for it, that must not get it, or that opted out of predicted tags.
/// @param allowed the documents that match request.filter; null: all.
/// @param voters as Classifier::classify().
/// @throws Error kInvalidArgument (limit < 1, offset < 0, min_confidence outside [0, 1]); kNotFound
/// for a label that no document has; kCanceled by on_progress; as Classifier::classify(); whatever
/// on_progress throws.
api::CandidatesAnswer find_candidates(MirroredDatabase& database, const Snapshot& snapshot,
                                      const Classifier& classifier,
                                      const CandidatesRequest& request, const DocumentSet* allowed,
                                      const DocumentSet* voters);

/// Classifies every labeled document by the other voters. It is a suspect for a tag that it would
/// be given and lacks. If that tag excludes a label of the document (the two are hardly ever on one
/// document), and the vote for this label is nearly nothing, then the label is the suspect.
/// A tag that it must not get speaks against none: people have decided.
/// `asked`: those that match the query of the request; null: all.
/// `kept`: where the suspects among all documents are kept, if these are asked for; else null.
/// @throws Error as Classifier::classify(), and kInvalidArgument if limit < 1 or offset < 0;
/// kCanceled by on_progress; whatever on_progress throws.
api::SuspectsAnswer find_suspects(MirroredDatabase& database, const Snapshot& snapshot,
                                  const Classifier& classifier, const SuspectsRequest& request,
                                  const DocumentSet* asked, const DocumentSet* voters,
                                  const KeptSuspects* kept);

}  // namespace kindred
