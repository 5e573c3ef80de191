#pragma once

#include <string>
#include <string_view>

namespace kindred::cli {

/// Text as a field of CSV (RFC 4180) that no spreadsheet takes for a formula and every tool may
/// show: escapes of ShownAs::kReversible, then an apostrophe before what begins as a formula or
/// with an apostrophe, then quotes where they have to be. docs/topics.md says how to undo it.
std::string csv_field(std::string_view text);

}  // namespace kindred::cli
