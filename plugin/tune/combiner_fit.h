#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plugin/tune/true_labels.h"
#include "plugin/votes/combiner.h"

// `features` are of documents and labels: row-major [documents, labels, kLabelFeatures]. Sums have
// a fixed order, so no result depends on `threads`.

namespace kindred {

/// In nats, by the probabilities P of a combiner that was fitted:
/// - single label: the mean over documents of -ln P(true label);
/// - else: the sum over all documents and labels of -ln P(l) if the document has the label, or of
///   -ln(1 - P(l)) if not, divided by the number of labels that documents have.
struct FittedCombiner {
  Combiner combiner;
  double log_loss = 0;
};

/// Maximum likelihood by Newton's method, with a ridge that keeps few documents from deciding much.
/// If every document has exactly one label, the form is that of a single label; else its
/// calibration is fitted, too. The problem is convex, so there is one answer.
///
/// Above 128 labels nearly all pairs of a document and a label are alike: the label is far from the
/// document and not its own. Then the combiner is fitted to a document's own labels, to those that
/// a neighbor has, and to every 16th of the others, which counts 16 times.
FittedCombiner fit_combiner(const TrueLabels& truth, std::span<const float> features,
                            std::size_t threads);

/// The same combiner, but for its confidences, which are fitted to the first `count` documents: by
/// the calibration, or in the form of a single label by one factor of all coefficients. The order
/// of a document's labels stays.
Combiner recalibrated(const Combiner& known, const TrueLabels& truth, std::size_t count,
                      std::span<const float> features, std::size_t threads);

/// Every document's probabilities: [documents, labels].
std::vector<float> combined_scores(const Combiner& combiner, std::span<const float> features,
                                   const TrueLabels& truth, std::size_t threads);

}  // namespace kindred
