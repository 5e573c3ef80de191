#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "plugin/votes/label_features.h"

namespace kindred {

/// ln(1 + e^z).
inline double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

/// Corrects the log-odds z of a label, that is ln(p / (1 - p)), of several that a document may
/// have:
///
///     offset + unlikely * ln p - likely * ln(1 - p) + ahead * max(lead, 0)
///
/// (beta calibration: Kull, Silva Filho and Flach 2017). For small p, only `unlikely` matters, for
/// large p only `likely`. People leave out labels that they might have given, so a large p grows
/// more slowly than z says. `lead` is z less the largest of all other labels: it sets the best
/// label apart. The default changes nothing. The order of a document's labels never changes.
struct Calibration {
  double offset = 0;
  double unlikely = 1;  ///< at least 0, as the others are
  double likely = 1;
  double ahead = 0;

  bool operator==(const Calibration&) const = default;

  double corrected(double z, double lead) const {
    return offset - unlikely * softplus(-z) + likely * softplus(z) + ahead * std::max(lead, 0.0);
  }
};

/// Turns the features of a document's labels into probabilities:
///
///     z(l) = intercept + sum over features and products f of coefficient[f] * x(l, f)
///
///     single label:  P(l) = e^z(l) / sum over the labels m of e^z(m)
///
///     multi-label:   P(l) = 1 / (1 + e^-z'(l)), z' as `calibration` corrects z
///
/// The labels are those of a shortlist. The multi-label form has four more features: by how much
/// the label's cosine, best similarity, profile and linear value each exceed the largest of all
/// other labels. Such a lead is at most 0 for every label but the best. The single-label form does
/// without these, and without an intercept: a softmax compares labels by itself, and an intercept
/// would not change it.
///
/// P does not depend on the order of the labels.
struct Combiner {
  bool single_label = false;
  double intercept = 0;
  std::array<double, kCombinerSize - 1> coefficients{};
  Calibration calibration;  ///< of the multi-label form

  /// True if it weighs what the vote "few" says.
  bool uses_few() const { return coefficients[kFewShare] != 0; }

  /// True if it weighs what the names of labels say.
  bool uses_names() const { return coefficients[kNamed] != 0; }

  /// The intercept and the coefficients, one for each number that is weighed.
  CombinerRow row() const;

  /// The probability of each label on a document's shortlist. `features` is row-major
  /// [probabilities.size(), kLabelFeatures].
  void combine(std::span<const float> features, std::span<double> probabilities) const;
};

template <std::size_t kSize>
double dot(const std::array<double, kSize>& a, const std::array<double, kSize>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kSize; ++i) sum += a[i] * b[i];
  return sum;
}

/// Replaces each z by e^z / (sum of e^z). Returns ln(sum of e^z). Expects at least one z. The sum
/// is one of integers, so it does not depend on the order.
double soften(std::span<double> z);

}  // namespace kindred
