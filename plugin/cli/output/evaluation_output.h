#pragma once

#include "plugin/evaluate/evaluate.h"
#include "plugin/evaluate/evaluation_json.h"

namespace kindred::cli {

/// Prints an evaluation on standard output, as one JSON object or as tables. `subject`:
/// what was measured, and how.
void print_evaluation(const Evaluation& evaluation, const std::string& subject, double seconds,
                      const ShownParts& parts, bool json);

/// The same for an evaluation of related documents.

}  // namespace kindred::cli
