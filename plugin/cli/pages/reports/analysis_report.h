#pragma once

#include <string>
#include <vector>

#include "analyzer/analyzer.h"

namespace kindred::cli {

/// Writes a page that shows how a text becomes terms: its words with those marked that are no
/// features, what each step made of each word, and why words were dropped. @throws Error if it
/// cannot be written.
void write_analysis_report(const std::string& path, const std::string& language,
                           const std::vector<TokenTrace>& traces);

}  // namespace kindred::cli
