#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "plugin/votes/combiner.h"

namespace kindred {

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
  /// In nats, without the penalty:
  /// - single label: the mean over documents of -ln P(true label);
  /// - else: the sum over all documents and labels of -ln P(l) if the document has the label, or
  ///   of -ln(1 - P(l)) if not. This sum is divided by the number of labels that documents have.
  double log_loss = 0;
  double plain_loss = 0;  ///< the same without the calibration
};

/// Maximum likelihood with a ridge on standardized coefficients (1e-3 for a single label, else
/// 1e-4), by Newton's method. The problem is convex, so there is one answer. Sums have a fixed
/// order: the result does not depend on `threads`.
FittedCombiner fit_combiner(bool single_label, const CombinerExamples& examples,
                            std::size_t threads);

}  // namespace kindred
