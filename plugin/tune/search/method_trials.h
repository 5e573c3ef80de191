#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "plugin/tune/search/tuning_tasks.h"
#include "plugin/tune/trials/trial_votes.h"
#include "plugin/votes/tuning/tune_request.h"

// Which methods a tuning tries.

namespace kindred {

/// The values of k that are tried.
inline constexpr std::array<std::int64_t, 2> kTriedNeighbors = {30, 45};

/// The blend with a kind of term weights and the most neighbors. `keep_terms` is as
/// TuneRequest::keep_terms.
TaggingMethod blend_of(TermWeightKind kind, double keep_terms);

/// Adds the methods with a kind of term weights: of a quick tuning, the blend alone. They borrow
/// `known` and `truth`.
void add_trials(const TuneRequest& request, TermWeightKind kind, const LeaveOneOut& known,
                const TrialTruth& truth, std::vector<MethodTrial>& trials);

/// For each method, whether the mean of its documents' losses is above the least one by more than
/// two standard errors of their difference.
std::vector<bool> clearly_behind(const std::vector<std::vector<double>>& losses);

}  // namespace kindred
