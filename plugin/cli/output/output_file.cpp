#include "plugin/cli/output/output_file.h"

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <system_error>

#include "config/error.h"
#include "config/replacement.h"
#include "config/shown.h"
#include "report_page.h"

namespace kindred::cli {
namespace {

/// True for a regular file and for a path where nothing is. False for a device or pipe, and for a
/// link, such as /dev/stdout.
bool may_be_replaced(const std::string& path) {
  std::error_code ignored;
  const auto type = std::filesystem::symlink_status(path, ignored).type();
  return type == std::filesystem::file_type::regular ||
         type == std::filesystem::file_type::not_found;
}

std::error_code write_to(const std::string& path, const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  if (file) write(file);
  file.close();
  if (file) return {};
  return {errno != 0 ? errno : EIO, std::generic_category()};
}

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

void write_output_file(const std::string& path, std::string_view content) {
  write_output_file(path, [&](std::ostream& file) { file << content; });
}

void write_output_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  const bool is_replaced = may_be_replaced(path);
  std::optional<Replacement> replacement;
  if (is_replaced) replacement.emplace(path);
  std::error_code fault = is_replaced ? replacement->fault() : std::error_code();
  if (!fault) fault = write_to(is_replaced ? replacement->name() : path, write);
  if (!fault && is_replaced) fault = replacement->place();
  if (!fault) return;
  throw Error(Errc::kNotFound, path + ": cannot be written: " + fault.message());
}

void write_report(const std::string& path, const std::string& report, const std::string& subject,
                  const Json& answer) {
  const Json data = {{"report", report}, {"subject", subject}, {"answer", answer}};
  std::string html(report_page::kHead);
  html += script_json(data);
  write_output_file(path, html.append(report_page::kTail));
}

std::string script_json(const Json& json) {
  std::string text;
  for (const char c : json_line(json)) text += c == '<' ? "\\u003c" : std::string(1, c);
  return text;
}

std::string escaped(std::string_view text) {
  static const std::map<char, const char*> kEscapes = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  std::string html;
  for (const char c : shown(text)) {
    const auto escape = kEscapes.find(c);
    html += escape == kEscapes.end() ? std::string(1, c) : escape->second;
  }
  return html;
}

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
