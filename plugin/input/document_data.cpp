#include "plugin/input/document_data.h"

#include <algorithm>
#include <cstddef>

#include "analyzer/text/utf8.h"
#include "plugin/input/record.h"

namespace kindred {
namespace {

void append_line(std::string& data, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  const std::size_t begin = data.size();
  data.append(name);
  std::replace(data.begin() + static_cast<std::ptrdiff_t>(begin), data.end(), '=', '_');
  data.append("=").append(value);
  const auto is_break = [](char c) { return c == '\n' || c == '\r'; };
  std::replace_if(data.begin() + static_cast<std::ptrdiff_t>(begin), data.end(), is_break, ' ');
  data += '\n';
}

std::string line_of(std::string_view name, std::string_view value) {
  std::string line;
  append_line(line, name, value);
  return line;
}

/// The first line, with its end.
std::string_view first_line(std::string_view data) {
  return data.substr(0, std::min(data.find('\n'), data.size() - 1) + 1);
}

}  // namespace

std::string document_data(const Record& record, std::int64_t sample_bytes) {
  const std::size_t room =
      sample_bytes == 0 ? record.text.size() : static_cast<std::size_t>(sample_bytes);
  std::string data;
  append_line(data, "id", record.id);
  append_line(data, "title", record.title);
  append_line(data, "sample", utf8_prefix(record.text, room));
  append_line(data, "lang", record.language);
  for (const std::string& label : record.labels) append_line(data, "label", label);
  for (const auto& [name, value] : record.fields) append_line(data, name, value);
  return data;
}

std::string_view document_field(std::string_view data, std::string_view name) {
  while (!data.empty()) {
    const std::string_view line = data.substr(0, data.find('\n'));
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=') {
      return line.substr(name.size() + 1);
    }
    data.remove_prefix(std::min(line.size() + 1, data.size()));
  }
  return {};
}

std::string text_sample(std::string_view data, std::size_t bytes) {
  std::string text;
  for (const char c : document_field(data, "sample")) {
    const bool is_space = std::string_view(" \t\r\n").find(c) != std::string_view::npos;
    if (!is_space || (!text.empty() && text.back() != ' ')) text += is_space ? ' ' : c;
  }
  if (text.size() <= bytes) return text;
  std::size_t end = text.rfind(' ', bytes);
  for (end = std::min(end, bytes); end > 0 && (text[end] & 0xC0) == 0x80;) --end;
  return text.substr(0, end) + "\u2026";
}

std::string with_labels(std::string_view data, std::string_view id,
                        const std::vector<std::string>& before,
                        const std::vector<std::string>& labels) {
  if (id.empty() || !data.starts_with(line_of("id", id))) return std::string(data);
  std::string_view rest = data;
  for (const std::string_view name : {"id=", "title=", "sample=", "lang="}) {
    if (rest.starts_with(name)) rest.remove_prefix(first_line(rest).size());
  }
  std::string changed(data.substr(0, data.size() - rest.size()));
  for (const std::string& label : labels) append_line(changed, "label", label);
  const auto is_before = [&](std::string_view line) {
    return std::any_of(before.begin(), before.end(),
                       [&](const auto& label) { return line == line_of("label", label); });
  };
  while (!rest.empty() && is_before(first_line(rest))) rest.remove_prefix(first_line(rest).size());
  return changed.append(rest);
}

}  // namespace kindred
