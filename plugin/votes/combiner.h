#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "plugin/votes/label_feature.h"

namespace kindred {

/// Turns the features of a document's labels into probabilities:
///
///     z(l) = intercept + sum over features f of coefficient[f] * x(l, f)
///
///     single label:  P(l) = e^z(l) / sum over all labels m of e^z(m)
///
///     multi-label:   P(l) = 1 / (1 + e^-z(l))
///
/// In the multi-label form there are three more features, the label's lead over the best of all
/// others, below 0 for all but the first: of its cosine, of its best similarity and of its profile.
/// A softmax compares labels by itself, and would not see an intercept.
struct Combiner {
  static constexpr std::size_t kCoefficients = kLabelFeatures + 3;

  bool single_label = false;
  double intercept = 0;
  std::array<double, kCoefficients> coefficients{};

  /// `features` is row-major [probabilities.size(), kLabelFeatures].
  void combine(std::span<const float> features, std::span<double> probabilities) const;
};

}  // namespace kindred
