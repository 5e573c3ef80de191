#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyzer.h"
#include "analyzer/text/detect.h"
#include "plugin/ask/question.h"

namespace kindred::cli {

/// How a text became terms. `found`: the language that it is found to be in, if that was looked
/// for.
Json analysis_json(const std::string& language, const std::optional<Detection>& found,
                   const std::vector<TokenTrace>& traces);

/// Prints it on standard output.
void print_analysis(const Json& analysis);

}  // namespace kindred::cli
