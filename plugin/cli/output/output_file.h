#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/ask/question.h"

namespace kindred::cli {

/// Replaces a file by `content` in one step: writes a new file beside it, and renames that. What a
/// shell gives by name (/dev/stdout, /dev/fd/N), a device, and a pipe that somebody reads, are
/// written to directly.
/// @throws Error kNotFound if it cannot be written; kInvalidArgument if it is another link, or a
/// file of another user in another user's folder; the old file is then unchanged.
void write_output_file(const std::string& path, std::string_view content);

/// Replaces a file by what write(file) writes, which may exceed the memory; otherwise as with the
/// content at hand.
void write_output_file(const std::string& path, const std::function<void(std::ostream&)>& write);

/// Writes an answer as one HTML page that needs no other file, and whose script draws it. `report`:
/// which of its functions does: "evaluate", "geometry", "suspects" (a page to work through them,
/// which makes JSON Lines of the corrections) or "analyze". `subject`: what the answer is about,
/// for the heading; for suspects the path of the database, for the command line, too.
/// @throws as write_output_file().
void write_report(const std::string& path, const std::string& report, const std::string& subject,
                  const Json& answer);

/// JSON that may stand in a script element: "</" would end it, "<!--" comment it out.
std::string script_json(const Json& json);

/// Text as HTML or XML, safe inside elements and quoted attributes. What may not be shown is
/// escaped.
std::string escaped(std::string_view text);

/// Text as a field of CSV (RFC 4180) that no spreadsheet takes for a formula and that is safe to
/// show. In this order, it gets the escapes of ShownAs::kReversible, an apostrophe in front if it
/// begins as a formula or with an apostrophe, and quotes if it needs them. docs/topics.md says how
/// to undo this.
std::string csv_field(std::string_view text);

/// Several texts as one field of CSV, with | between them. A | inside one gets an escape, too.
std::string csv_list(const std::vector<std::string>& items);

}  // namespace kindred::cli
