#pragma once

#include <nlohmann/json.hpp>

#include "config/api.h"
#include "plugin/answers/curation.h"
#include "plugin/evaluate/evaluate.h"

namespace kindred {

/// The parts of an evaluation that are shown besides its measures.
struct ShownParts {
  bool labels = false;     ///< the measures of each label
  bool confusion = false;  ///< the confusion matrix, where every document has exactly one label
};

/// Measures as JSON, as docs/json.md has it. Keys keep the order in which they are added.
/// `seconds`: how long it took.
KINDRED_API nlohmann::ordered_json evaluation_json(const Evaluation& evaluation, double seconds,
                                                   const ShownParts& parts);

/// NaN becomes null.
KINDRED_API nlohmann::ordered_json class_geometry_json(const ClassGeometry& geometry);

}  // namespace kindred
