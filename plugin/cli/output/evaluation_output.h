#pragma once

#include "plugin/answers/related_evaluation.h"
#include "plugin/evaluate/evaluate.h"

namespace kindred::cli {

/// The parts of an evaluation that are shown besides its measures.
struct ShownParts {
  bool labels = false;     ///< a table of the labels
  bool confusion = false;  ///< the confusion matrix, where every document has exactly one label
};

/// Prints an evaluation on standard output, as one JSON object or as tables.
void print_evaluation(const Evaluation& evaluation, double seconds, const ShownParts& parts,
                      bool json);

/// The same for an evaluation of related documents.
void print_evaluation(const RelatedEvaluation& evaluation, double seconds, bool json);

}  // namespace kindred::cli
