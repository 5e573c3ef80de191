#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "plugin/votes/calibration.h"
#include "plugin/votes/label_feature.h"

namespace kindred {

/// Turns the features of a document's labels into probabilities:
///
///     z(l) = intercept + sum over features f of coefficient[f] * x(l, f)
///
///     single label:  P(l) = e^z(l) / sum over all labels m of e^z(m)
///
///     multi-label:   P(l) = 1 / (1 + e^-z'(l)), z' as `calibration` corrects z
///
/// The multi-label form has four more features: by how much the label's cosine, best similarity,
/// profile and linear value each exceed the largest of all other labels. Such a lead is at most 0
/// for every label but the best. The single-label form does without these, and without an
/// intercept: a softmax compares labels by itself, and an intercept would not change it.
struct Combiner {
  static constexpr std::size_t kCoefficients = kLabelFeatures + 4;

  bool single_label = false;
  double intercept = 0;
  std::array<double, kCoefficients> coefficients{};
  Calibration calibration;  ///< of the multi-label form

  /// `features` is row-major [probabilities.size(), kLabelFeatures].
  void combine(std::span<const float> features, std::span<double> probabilities) const;
};

}  // namespace kindred
