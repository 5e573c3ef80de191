#pragma once

#include <string>
#include <vector>

#include "plugin/input/analyzer_pool.h"
#include "plugin/questions.h"

namespace kindred {

/// The words of a text as an index has them whose feature terms have these prefixes. `language` as
/// a record names it; "": as for a query. The answer is of no index yet.
api::AnalyzeAnswer analyze_text(const std::string& text, const std::string& language,
                                const std::vector<std::string>& prefixes, AnalyzerPool& analyzers);

}  // namespace kindred
