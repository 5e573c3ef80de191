#pragma once

#include <cstddef>

#include "plugin/tune/combiner/combiner_fit.h"
#include "plugin/tune/combiner/example_pairs.h"

namespace kindred {

/// A multi-label combiner whose calibration is fitted to some pairs; its coefficients stay.
/// FittedCombiner::log_loss is the sum over all pairs, and plain_loss is 0.
FittedCombiner calibrated(const Combiner& known, const ExamplePairs& pairs);

/// A combiner whose probabilities are fitted to some examples, and whose order of labels stays. If
/// it is multi-label, its calibration is fitted, else one factor of all its coefficients.
Combiner recalibrated(const Combiner& known, const CombinerExamples& examples, std::size_t threads);

}  // namespace kindred
