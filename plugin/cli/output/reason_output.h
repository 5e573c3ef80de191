#pragma once

#include <string>
#include <vector>

#include "plugin/answers/classification.h"
#include "plugin/cli/output/json_output.h"

namespace kindred::cli {

/// The keys voters and terms of a reason (docs/json.md). `neighbors`: those that it refers to.
Json reason_json(const TagReason& reason, const std::vector<Voter>& neighbors);

/// "cat1 0.6000, cat2 0.4000; terms Zcat Zpurr": the first three voters, and all terms.
std::string reason_text(const TagReason& reason, const std::vector<Voter>& neighbors);

}  // namespace kindred::cli
