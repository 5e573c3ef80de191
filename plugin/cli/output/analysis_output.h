#pragma once

#include <string>
#include <vector>

#include "analyzer/analyzer.h"

namespace kindred::cli {

/// Why a word is no feature: the step that dropped it, and what the step says of it. Both "" for a
/// word that is one.
struct DropReason {
  std::string step;
  std::string text;
};
DropReason drop_reason(const TokenTrace& trace);

/// How a text became terms.
void print_analysis_as_json(const std::string& language, const std::vector<TokenTrace>& traces);
void print_analysis_as_table(const std::string& language, const std::vector<TokenTrace>& traces);

}  // namespace kindred::cli
