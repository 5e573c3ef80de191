#pragma once

#include <string>

#include "plugin/evaluate/evaluate.h"
#include "plugin/evaluate/evaluation_json.h"
#include "plugin/votes/tuning/tune_request.h"

namespace kindred::cli {

/// Prints an evaluation on standard output, as one JSON object or as tables. `subject`:
/// what was measured, and how.
void print_evaluation(const Evaluation& evaluation, const std::string& subject, double seconds,
                      const ShownParts& parts, bool json);

/// The same for an evaluation of related documents.

/// How a tuning tags, in a few words: "blend + linear, k 45".
std::string method_text(const Tuning& tuning);

/// Which share of later documents will have a right best tag: "0.93", or "0.81 to 0.91" if they
/// differ from earlier ones.
std::string expectation_text(const TuneReport& report);

}  // namespace kindred::cli
