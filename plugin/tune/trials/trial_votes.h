#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpu/knn/backend.h"
#include "plugin/tune/cross_fit/leave_one_out.h"
#include "plugin/tune/trials/trial_scoring.h"
#include "plugin/votes/combiner.h"

namespace kindred {

/// Every document's scores by kMajority, kSimilarity, kBest, kCentroid or kProfile: row-major
/// [documents, labels].
/// @throws Error kInternal for any other vote: tune does not try it, or it needs a fit
/// (combined_scores()).
std::vector<float> trial_scores(const TaggingMethod& method, const LeaveOneOut& known,
                                const LabelView& labels, const TrialTruth& truth,
                                std::size_t threads);

/// The features of every document and label: [documents, labels, kLabelFeatures].
std::vector<float> trial_features(const TaggingMethod& method, const LeaveOneOut& known,
                                  const LabelView& labels, const TrialTruth& truth,
                                  std::size_t threads);

/// Every document's probabilities by a combiner of these features: [documents, labels].
std::vector<float> combined_scores(const Combiner& combiner, std::span<const float> features,
                                   const TrialTruth& truth, std::size_t threads);

/// The log loss of each document by a combiner of these features.
std::vector<double> combined_losses(const Combiner& combiner, std::span<const float> features,
                                    const TrialTruth& truth, std::size_t threads);

}  // namespace kindred
