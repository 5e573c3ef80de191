#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "plugin/votes/combiner.h"

namespace kindred {

/// The numbers that a combiner weighs: 1 for the intercept, the features, and the four leads of
/// the multi-label form.
inline constexpr std::size_t kCombinerSize = Combiner::kCoefficients + 1;
using CombinerRow = std::array<double, kCombinerSize>;

double dot(const CombinerRow& a, const CombinerRow& b);

/// Fills in the row of every label of one document. `features` is row-major [rows.size(),
/// kLabelFeatures].
void expand(std::span<const float> features, std::vector<CombinerRow>& rows);

/// Replaces each z by e^z / (sum of e^z). Returns ln(sum of e^z).
double soften(std::span<double> z);

}  // namespace kindred
