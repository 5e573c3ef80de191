#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plugin/tune/combiner_fit.h"
#include "plugin/tune/combiner_pairs.h"
#include "plugin/votes/combiner.h"

namespace kindred {

/// A document and a label, as a calibration is fitted to them.
struct ScoredPair {
  double z = 0;     ///< log-odds that the document has the label
  double lead = 0;  ///< of z over the largest of the document's other labels
  double weight = 1;
  bool is_true = false;  ///< the document has the label
};

struct FittedCalibration {
  Calibration calibration;
  double log_loss = 0;  ///< in nats: the sum over all pairs, without the penalty
};

/// Maximum likelihood by Newton's method. A penalty of half the squared distance from a calibration
/// that changes nothing keeps few documents from deciding much. A slope that would be below 0 is 0.
/// Sums are made chunk by chunk, in their order: the result does not depend on `threads`.
FittedCalibration fit_calibration(std::span<const std::vector<ScoredPair>> chunks,
                                  std::size_t threads);

/// A multi-label combiner whose calibration is fitted to some pairs; its coefficients stay.
/// FittedCombiner::log_loss is the sum over all pairs, and plain_loss is 0.
FittedCombiner calibrated(const Combiner& known, const ExamplePairs& pairs);

/// A combiner whose probabilities are fitted to some examples, and whose order of labels stays. If
/// it is multi-label, its calibration is fitted, else one factor of all its coefficients.
Combiner recalibrated(const Combiner& known, const CombinerExamples& examples, std::size_t threads);

}  // namespace kindred
