#pragma once

#include <xapian.h>
#include <span>
#include <vector>

#include "config/settings.h"
#include "gpu/document_set.h"
#include "plugin/progress.h"
#include "plugin/related/term_mirror.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/tune/tune_report.h"

namespace kindred {

/// Fits the way to tag the documents of a snapshot, by cross-fitted leave-one-out over `voters`
/// (labeled rows):
/// - term weights by what terms tell of labels (CrossFit::learn());
/// - the vote "blend", with linear classifiers if 200 documents or more are classified;
/// - fitted forward in time, too, where the collection drifts (fit_forward());
/// - a threshold for each label by SCut.
/// @throws Error kInvalidArgument: documents < 2, fewer than two voters.
/// @param groups documents that never vote for each other while this is measured: those of
///        request.groups. Neither do others that leak (plugin/tune/leakage.h).
/// @param terms of the vocabulary, if labels have names: then these are heard, too. Borrowed.
/// The same tuning for any number of threads.
TuneReport tune(const Snapshot& snapshot, const Settings& settings, const DocumentSet& voters,
                std::span<const std::vector<Xapian::docid>> groups, const TuneRequest& request,
                const OnTuning& on_tuning, const TermMirror* terms = nullptr);

}  // namespace kindred
