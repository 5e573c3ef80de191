#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "plugin/votes/combiner.h"

namespace kindred {

/// What a combiner weighs: 1 for the intercept, the features, and the three more of the multi-label
/// form.
inline constexpr std::size_t kCombinerSize = Combiner::kCoefficients + 1;
using CombinerRow = std::array<double, kCombinerSize>;

double dot(const CombinerRow& a, const CombinerRow& b);

/// The rows of every label of one document; `features` is [rows.size(), kLabelFeatures].
void expand(std::span<const float> features, std::vector<CombinerRow>& rows);

/// Turns z into e^z / sum of e^z; returns ln of that sum, of the z as they were.
double soften(std::span<double> z);

}  // namespace kindred
