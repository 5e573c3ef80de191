#pragma once

#include <map>
#include <string>

#include "config/api.h"
#include "plugin/ask/question_table.h"
#include "plugin/evaluate/evaluation.h"

namespace kindred {

/// The parts of an evaluation that are shown besides its measures.
struct ShownParts {
  bool labels = false;     ///< the measures of each label
  bool confusion = false;  ///< the confusion matrix, where every document has exactly one label
};

/// Measures as the question "evaluate" answers them. `groups`: by their values, the same of some of
/// the documents.
KINDRED_API Json evaluation_json(const Evaluation& evaluation, const ShownParts& parts,
                                 const std::map<std::string, Evaluation>& groups = {});

}  // namespace kindred
