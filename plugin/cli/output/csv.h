#pragma once

#include <string>
#include <string_view>

namespace kindred::cli {

/// Text as a field of CSV (RFC 4180) that no spreadsheet takes for a formula and that is safe to
/// show. In this order, it gets the escapes of ShownAs::kReversible, an apostrophe in front if it
/// begins as a formula or with an apostrophe, and quotes if it needs them. docs/topics.md says how
/// to undo this.
std::string csv_field(std::string_view text);

}  // namespace kindred::cli
