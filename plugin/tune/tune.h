#pragma once

#include "config/settings.h"
#include "gpu/knn/backend.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/votes/tune_request.h"

namespace kindred {

/// Finds how to tag the documents of a snapshot best, by cross-fitted leave-one-out over `voters`
/// (labeled rows). It tries
/// - term weights by idf, divergence and learning;
/// - for each of these all votes, with two k;
/// - for each of these thresholds by SCut with several FBR, by PCut and by RCut.
/// Term weights and k of "blend" are chosen by its log loss, the rest by the objective; ties go to
/// the first tried. Another vote than "blend" wins only if it is better by more than two standard
/// errors.
/// @throws Error kInvalidArgument: an objective that is not known, a budget that is negative or too
/// short for one method, sample < 0, fewer than two voters.
TuneReport tune(const Snapshot& snapshot, const Settings& settings, const RowSet& voters,
                const TuneRequest& request, const OnTuning& on_tuning);

}  // namespace kindred
