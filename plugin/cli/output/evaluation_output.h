#pragma once

#include <string>

#include "plugin/ask/question.h"

namespace kindred::cli {

/// Prints an answer to "evaluate" on standard output, as tables. `subject`: what was measured, and
/// how.
void print_evaluation(const Json& answer, const std::string& subject, const ShownParts& parts);

/// The "method" of a tuning in a few words: "blend + linear, k 45".
std::string method_text(const Json& method);

/// Which share of later documents will have a right best tag, by an answer to "tune": "0.93", or
/// "0.81 to 0.91" if they differ from earlier ones.
std::string expectation_text(const Json& tuned);

}  // namespace kindred::cli
