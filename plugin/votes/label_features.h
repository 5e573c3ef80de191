#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/knn/backend.h"
#include "plugin/votes/label_feature.h"

namespace kindred {

/// Row-major [labels, kLabelFeatures]. Floats, so that millions of them fit in memory.
using FeatureRow = std::span<float>;

/// The power of the similarity in kShare.
inline constexpr int kFeaturePower = 3;

/// Writes the features of one document. `neighbors` end at the first kNoRow; cosines, profiles and
/// linear have one value for each label; linear may be empty, and a NaN in
/// it stands for 2 share - 1.
void fill_features(std::span<const Neighbor> neighbors, const LabelView& labels,
                   std::span<const double> cosines, std::span<const double> profiles,
                   std::span<const double> linear, FeatureRow features);

}  // namespace kindred
