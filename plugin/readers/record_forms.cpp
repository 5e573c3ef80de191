#include "plugin/readers/record_forms.h"

#include <algorithm>
#include <utility>

#include "config/error.h"
#include "config/shown.h"

namespace kindred {
namespace {

/// The name without .gz, by which the reader knows what separates fields.
std::string without_gz(const std::string& name) {
  return name.ends_with(".gz") ? name.substr(0, name.size() - 3) : name;
}

void append(RecordLine& line, char c) {
  if (!line.fault.empty()) return;
  line.text += c;
  if (line.text.size() <= RecordReader::kMaxLineBytes) return;
  line.text.clear();
  line.text.shrink_to_fit();
  line.fault = "longer than the " + std::to_string(RecordReader::kMaxLineBytes) +
               " bytes that a record may have";
}

}  // namespace

TableRecords::TableRecords(const std::string& name, ByteSource source, FieldMap map)
    : reader_(without_gz(name), std::move(source)),
      map_(std::move(map)),
      columns_(reader_.header()) {
  for (const auto& [theirs, ours] : map_.keys) {
    if (std::ranges::find(columns_, theirs) != columns_.end()) continue;
    std::string names;
    for (const std::string& column : columns_) append_item(names, column);
    const std::string likely = likely_of(theirs, columns_);
    std::string fault = name;
    fault.append(": there is no column '").append(theirs).append("' for ").append(ours);
    if (!likely.empty()) fault.append(", did you mean '").append(likely).append("'?");
    throw Error(Errc::kInvalidArgument, fault.append(" Its columns are ").append(shown(names)));
  }
}

std::optional<RecordLine> TableRecords::next() {
  std::optional<CsvRow> row = reader_.next();
  if (!row) return {};

  RecordLine line{.text = {}, .number = row->line, .fault = std::move(row->fault)};
  if (line.fault.empty() && row->fields.size() != columns_.size())
    line.fault = "expected " + std::to_string(columns_.size()) +
                 " fields, as the first line has, found " + std::to_string(row->fields.size());
  if (line.fault.empty()) line.text = row_record(columns_, row->fields, map_);
  return line;
}

ArrayRecords::ArrayRecords(std::string name, ByteSource source, FieldMap map)
    : name_(std::move(name)), source_(std::move(source)), map_(std::move(map)) {
  while (peek() != '[') take();  // a byte order mark, and blanks
  take();
}

std::optional<RecordLine> ArrayRecords::next() {
  if (is_at_end_) return {};
  skip_blank();
  if (peek() == ']') return finish();

  RecordLine line{.text = {}, .number = ++number_, .fault = {}};
  read_element(line);
  if (line.fault.empty() && !map_.empty()) line.text = mapped_record(line.text, map_);

  skip_blank();
  if (peek() == ',') take();
  return line;
}

/// The next byte; 0 at the end of the source.
char ArrayRecords::peek() {
  if (!unread_.empty()) return unread_.front();
  unread_ = {buffer_.data(), source_(buffer_)};
  return unread_.empty() ? '\0' : unread_.front();
}

char ArrayRecords::take() {
  const char c = peek();
  if (unread_.empty())
    throw Error(Errc::kCorrupt,
                name_ + ": ends within its array, after " + std::to_string(number_) + " records");
  unread_.remove_prefix(1);
  return c;
}

void ArrayRecords::skip_blank() {
  constexpr std::string_view kBlank = " \t\r\n";
  while (kBlank.find(peek()) != kBlank.npos && peek() != '\0') take();
}

std::optional<RecordLine> ArrayRecords::finish() {
  take();
  is_at_end_ = true;
  skip_blank();
  if (peek() != '\0')
    throw Error(Errc::kCorrupt, name_ + ": expected the end of the file after its array");
  return {};
}

/// Reads up to the comma or bracket that follows. What is in an element is judged later.
void ArrayRecords::read_element(RecordLine& line) {
  std::size_t depth = 0;
  bool is_in_string = false;
  for (char c = peek(); is_in_string || depth > 0 || (c != ',' && c != ']'); c = peek()) {
    take();
    append(line, c);
    if (is_in_string && c == '\\') {
      append(line, take());
    } else if (c == '"') {
      is_in_string = !is_in_string;
    } else if (!is_in_string && (c == '{' || c == '[')) {
      ++depth;
    } else if (!is_in_string && (c == '}' || c == ']')) {
      --depth;
    }
  }
}

}  // namespace kindred
