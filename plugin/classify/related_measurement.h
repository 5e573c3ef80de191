#pragma once

#include <cstdint>

#include "plugin/answers/related_evaluation.h"

namespace kindred {

class Snapshot;

/// How often the `k` nearest of a document share a label with it. The mirror must be compact.
/// @throws Error as Engine::evaluate_related().
RelatedEvaluation measure_related(const Snapshot& snapshot, std::int64_t k,
                                  const RelatedEvaluationRequest& request);

}  // namespace kindred
