#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyzer.h"
#include "analyzer/text/detect.h"

namespace kindred::cli {

/// Why a word is no feature: the step that dropped it, and what the step says of it. Both "" for a
/// word that is one.
struct DropReason {
  std::string step;
  std::string text;
};
DropReason drop_reason(const TokenTrace& trace);

/// How a text became terms. `found`: the language that it is found to be in, if that was looked
/// for.
void print_analysis_as_json(const std::string& language, const std::optional<Detection>& found,
                            const std::vector<TokenTrace>& traces);
void print_analysis_as_table(const std::string& language, const std::optional<Detection>& found,
                             const std::vector<TokenTrace>& traces);

}  // namespace kindred::cli
