#include "plugin/cli/output/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <array>
#include <cerrno>
#include <ext/stdio_filebuf.h>
#include <map>
#include <system_error>

#include "config/error.h"
#include "config/replacement.h"
#include "config/shown.h"
#include "report_page.h"

namespace kindred::cli {
namespace {

using Write = std::function<void(std::ostream&)>;

/// True for names of what the process has open already, as shells give them. They are links.
bool is_own_descriptor(const std::string& path) {
  return path == "/dev/stdout" || path == "/dev/stderr" || path.starts_with("/dev/fd/") ||
         path.starts_with("/proc/self/fd/");
}

/// Opens a device or pipe. Does not wait for somebody who reads a pipe.
OpenFile opened(const std::string& path) {
  const int links = is_own_descriptor(path) ? 0 : O_NOFOLLOW;
  const int file =
      ::open(path.c_str(), O_WRONLY | O_TRUNC | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | links);
  if (file >= 0) ::fcntl(file, F_SETFL, 0);  // writing may wait
  return OpenFile(file);
}

/// Writes to an open file, or to -1 and errno.
std::error_code write_to(int file, const Write& write) {
  // A copy of the descriptor, because the buffer closes its own. errno is cleared for the last
  // line: a stream keeps no reason of a failure.
  const int own = file < 0 ? file : ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return last_fault();

  errno = 0;
  __gnu_cxx::stdio_filebuf<char> buffer(own, std::ios::out | std::ios::binary);  // and closes it
  std::ostream stream(&buffer);
  write(stream);
  stream.flush();

  if (stream && buffer.close() != nullptr) return {};
  return {errno != 0 ? errno : EIO, std::generic_category()};
}

std::error_code replace_file(const GuardedFile& file, const Write& write) {
  Replacement replacement(file);
  if (replacement.fault()) return replacement.fault();
  const std::error_code fault = write_to(replacement.descriptor(), write);
  if (fault) return fault;
  return replacement.place();
}

std::error_code write_file(const std::string& path, const Write& write) {
  // What a shell has opened is written to; a file is replaced in one step; a link leads somewhere
  // that was perhaps not meant. Devices and pipes are opened.
  if (is_own_descriptor(path)) return write_to(opened(path), write);

  const GuardedFile file(path, owners_of_named_file(path));
  const auto found = file.status();
  if (!found || S_ISREG(found->st_mode)) return replace_file(file, write);
  if (S_ISLNK(found->st_mode))
    throw Error(Errc::kInvalidArgument, path + ": Is a link, expected the file that it leads to");
  return write_to(opened(path), write);
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

/// A cell of a text that has its escapes.
std::string csv_cell(std::string_view whole) {
  std::string field;

  // A sign at the begin of a cell would make it a formula. Spreadsheets hide an apostrophe before
  // it, so a real one is doubled.
  if (begins_formula(whole) || whole.starts_with('\'')) field += '\'';
  for (std::size_t i = 0; i < whole.size(); ++i) {
    // In much of Europe spreadsheets end cells at a semicolon, even inside quotes.
    const bool may_end_cell = whole[i] == ';' && begins_formula(whole.substr(i + 1));
    if (may_end_cell) {
      field += "\\x3b";
    } else {
      field += whole[i];
      if (whole[i] == '"') field += '"';
    }
  }

  if (field.find_first_of(",\"") == std::string::npos) return field;
  return '"' + field + '"';
}

}  // namespace

void write_output_file(const std::string& path, std::string_view content) {
  write_output_file(path, [&](std::ostream& file) {
    file << content;
  });
}

void write_output_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (const std::error_code fault = write_file(path, write))
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
  for (const char c : json_line(json)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

std::string escaped(std::string_view text) {
  static const std::map<char, const char*> kEscapes = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  std::string html;
  for (const char c : shown(text)) {
    const auto escape = kEscapes.find(c);
    if (escape == kEscapes.end()) {
      html += c;
    } else {
      html += escape->second;
    }
  }
  return html;
}

std::string csv_field(std::string_view text) { return csv_cell(shown(text, ShownAs::kReversible)); }

std::string csv_list(const std::vector<std::string>& items) {
  std::string whole;
  for (const std::string& item : items) {
    if (!whole.empty()) whole += '|';
    for (const char c : shown(item, ShownAs::kReversible)) {
      if (c == '|') {
        whole += "\\x7c";
      } else {
        whole += c;
      }
    }
  }
  return csv_cell(whole);
}

}  // namespace kindred::cli
