#include "plugin/cli/output/csv.h"

#include <array>

#include "config/shown.h"

namespace kindred::cli {
namespace {

// The last four are the full-width forms of the first four; some spreadsheets treat them alike.
constexpr std::array<std::string_view, 8> kSigns = {"=",      "+",      "-",      "@",
                                                    "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
constexpr std::array<std::string_view, 3> kSpaces = {" ", "\u00A0", "\u3000"};

/// The length of the one of `beginnings` that the text begins with, or 0.
template <std::size_t n>
std::size_t length_of(const std::array<std::string_view, n>& beginnings, std::string_view text) {
  for (const std::string_view beginning : beginnings)
    if (text.starts_with(beginning)) return beginning.size();
  return 0;
}

bool begins_formula(std::string_view text) {
  while (const std::size_t space = length_of(kSpaces, text)) text.remove_prefix(space);
  return length_of(kSigns, text) != 0;
}

}  // namespace

std::string csv_field(std::string_view text) {
  const std::string whole = shown(text, ShownAs::kReversible);
  std::string field;
  if (begins_formula(whole) || whole.starts_with('\'')) field += '\'';
  for (std::size_t i = 0; i < whole.size(); ++i) {
    // In much of Europe spreadsheets end cells at a semicolon, even inside quotes.
    const bool may_end_cell =
        whole[i] == ';' && begins_formula(std::string_view(whole).substr(i + 1));
    if (may_end_cell) {
      field += "\\x3b";
    } else {
      field += whole[i];
      if (whole[i] == '"') field += '"';
    }
  }
  return field.find_first_of(",\"") == std::string::npos ? field : '"' + field + '"';
}

}  // namespace kindred::cli
