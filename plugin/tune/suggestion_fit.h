#pragma once

#include "config/pulse.h"
#include "gpu/document_set.h"
#include "plugin/related/term_mirror.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/votes/suggestion_model.h"

namespace kindred {

/// Learns how likely a text deserves a term that no document has, by leaving whole labels out: for
/// a document, the labels that it alone has are such terms. Up to 4,000 of the voters are asked.
/// Each has the ten nearest terms that no other document has, and each of these is right or not.
/// Where few are right, the model stays near the one that was not learned.
SuggestionModel fit_suggestions(const Snapshot& snapshot, const TermMirror& terms,
                                const DocumentSet& voters, const Pulse& pulse = {});

}  // namespace kindred
