#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "config/settings.h"
#include "gpu/knn/backend.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/votes/tuning/tune_request.h"

namespace kindred {

/// Finds the best way to tag the documents of a snapshot, by cross-fitted leave-one-out over
/// `voters` (labeled rows). It tries
/// - each of request.term_weights;
/// - with each of these, the votes "best", "centroid" and "profile", and with two values of k each,
///   "majority", "similarity" and "blend";
/// - the best blend with linear classifiers, if 200 documents or more are classified;
/// - with each of these, cuts by SCut with several FBR, by PCut and by RCut.
/// The log loss chooses the term weights and k of "blend". The mean of micro and macro F1 chooses
/// everything else.
/// Ties go to the first tried. A vote other than "blend" wins only if it is better by more than two
/// standard errors.
/// @throws Error kInvalidArgument: keep_terms outside (0, 1], no term weights, sample < 0 or
/// sample == 1, quick_documents < 2, fewer than two voters.
/// @param groups rows that never vote for each other while methods are measured: those of
///        request.groups. Neither do companions (plugin/tune/cross_fit/companions.h).
/// The same tuning for any number of threads.
TuneReport tune(const Snapshot& snapshot, const Settings& settings, const RowSet& voters,
                std::span<const std::vector<std::uint32_t>> groups, const TuneRequest& request,
                const OnTuning& on_tuning);

}  // namespace kindred
