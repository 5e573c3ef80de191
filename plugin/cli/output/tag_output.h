#pragma once

#include <string>
#include <vector>

#include "plugin/answers/classification.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/writing/edits.h"
#include "plugin/writing/tagging.h"

namespace kindred::cli {

/// Print on standard output: as one JSON object (docs/json.md), or for people.
void print_report(const TagReport& report, bool dry_run, double seconds, bool json);
void print_tags(const StoredDocument& document, bool json);

/// A list of {"label", "confidence"}.
Json tags_json(const std::vector<Tag>& tags);

/// "space, science"
std::string labels_text(const std::vector<std::string>& labels);

/// The keys voters and terms of a reason (docs/json.md). `neighbors`: those that it refers to.
Json reason_json(const TagReason& reason, const std::vector<Voter>& neighbors);

/// "cat1 0.6000, cat2 0.4000; terms Zcat Zpurr": the first three voters, and all terms.
std::string reason_text(const TagReason& reason, const std::vector<Voter>& neighbors);

}  // namespace kindred::cli
