#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plugin/label_features.h"

namespace kindred {

/// Turns the features of a document's labels into probabilities:
///
///     single label:  P(l) = e^z(l) / sum over all labels of e^z         multi-label:  P(l) = 1 /
///     (1 + e^-z(l)) z(l) = intercept + sum over features f of coefficient[f] * x(l, f)
///
/// In the multi-label form there are two more features, how far the label is behind the first one:
/// its cosine less the largest cosine, and its best similarity less the largest. A softmax would
/// not see them, nor an intercept.
struct Combiner {
  static constexpr std::size_t kCoefficients = kLabelFeatures + 2;

  bool single_label = false;
  double intercept = 0;
  std::array<double, kCoefficients> coefficients{};

  /// `features` is row-major [probabilities.size(), kLabelFeatures].
  void combine(std::span<const float> features, std::span<double> probabilities) const;
};

/// Documents whose labels are known, to fit a combiner by.
struct CombinerExamples {
  std::size_t documents = 0;
  std::size_t labels = 0;
  std::span<const float> features;       ///< [documents, labels, kLabelFeatures]
  std::span<const std::uint64_t> begin;  ///< of a document's labels in `truth`; documents + 1
  std::span<const std::uint32_t> truth;  ///< labels, ascending in a document; one each if single
};

struct FittedCombiner {
  Combiner combiner;
  /// Mean over documents (single label) or over true labels of -ln of what the combiner gives the
  /// truth; without the penalty.
  double log_loss = 0;
};

/// Maximum likelihood with a ridge on standardized coefficients (1e-3 for a single label, 1e-4
/// else), by Newton's method: convex, so the answer is the only one. Sums have a fixed order: the
/// result does not depend on `threads`.
FittedCombiner fit_combiner(bool single_label, const CombinerExamples& examples,
                            std::size_t threads);

}  // namespace kindred
