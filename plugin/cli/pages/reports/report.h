#pragma once

#include <string>

#include "plugin/ask/question.h"

namespace kindred::cli {

/// Writes an answer as one HTML page that needs no other file, and whose script draws it. `report`:
/// which of its functions does: "evaluate", "geometry", "suspects" (a page to work through them,
/// which makes JSON Lines of the corrections) or "analyze". A file that is there is replaced in one
/// step.
/// @param subject what the answer is about, for the heading; for suspects the path of the database,
/// for the command line, too.
/// @throws Error kNotFound if it cannot be written; the old file is then unchanged.
void write_report(const std::string& path, const std::string& report, const std::string& subject,
                  const Json& answer);

/// JSON that may stand in a script element: "</" would end it, "<!--" comment it out.
std::string script_json(const Json& json);

}  // namespace kindred::cli
