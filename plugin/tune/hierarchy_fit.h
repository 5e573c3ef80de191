#pragma once

#include <span>

#include "plugin/tune/combiner_fit.h"
#include "plugin/votes/hierarchy_model.h"

namespace kindred {

/// Learns what people do where a label and a broader one are both likely: maximum likelihood over
/// the labels on the documents' shortlists that have such company, with a ridge, so that where
/// there are few nothing changes.
/// @param scores of the labels on the shortlists, as probabilities
HierarchyModel fit_hierarchy(const LabelHierarchy& hierarchy, std::span<const float> scores,
                             const Shortlists& lists, const TrueLabels& truth);

}  // namespace kindred
