#pragma once

#include "plugin/cli/output/json_output.h"
#include "plugin/documents/tag_edit.h"
#include "plugin/writing/tagging.h"

namespace kindred::cli {

/// The schemas of docs/json.md.
Json report_json(const TagReport& report, bool dry_run, double seconds);
Json tags_json(const DocumentTags& tags);

/// Print for people, on standard output.
void print_report(const TagReport& report, bool dry_run, double seconds);
void print_tags(const DocumentTags& tags);

}  // namespace kindred::cli
