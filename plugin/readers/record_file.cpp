#include "plugin/readers/record_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "config/error.h"
#include "config/shown.h"
#include "plugin/input/input_file.h"
#include "plugin/readers/csv_reader.h"

namespace kindred {

/// A form that a file may have.
class RecordFile::Form {
 public:
  virtual ~Form() = default;
  virtual std::optional<RecordLine> next() = 0;
  virtual RecordReader::Position position() const = 0;
};

namespace {

constexpr std::string_view kBlank = " \t\r\n";

RecordReader::Position position_of(const InputFile& file) {
  return {file.read_bytes(), file.all_bytes()};
}

class Lines : public RecordFile::Form {
 public:
  Lines(const std::string& path, FieldMap map) : reader_(path), map_(std::move(map)) {}

  std::optional<RecordLine> next() override {
    std::optional<RecordLine> line = reader_.next();
    if (line && line->fault.empty() && !map_.empty()) line->text = mapped_record(line->text, map_);
    return line;
  }

  RecordReader::Position position() const override { return reader_.position(); }

 private:
  RecordReader reader_;
  const FieldMap map_;
};

class Table : public RecordFile::Form {
 public:
  Table(const std::string& path, FieldMap map)
      : file_(path),
        reader_(name_of(path),
                [this](std::span<char> room) {
                  return file_.read(room);
                }),
        map_(std::move(map)),
        columns_(reader_.header()) {
    for (const auto& [theirs, ours] : map_.keys) {
      if (std::ranges::find(columns_, theirs) != columns_.end()) continue;
      std::string names;
      for (const std::string& column : columns_) append_item(names, column);
      const std::string likely = likely_of(theirs, columns_);
      throw Error(Errc::kInvalidArgument,
                  path + ": there is no column '" + theirs + "' for " + ours +
                      (likely.empty() ? "" : ", did you mean '" + likely + "'?") +
                      " Its columns are " + shown(names));
    }
  }

  std::optional<RecordLine> next() override {
    std::optional<CsvRow> row = reader_.next();
    if (!row) return {};

    RecordLine line{.text = {}, .number = row->line, .fault = std::move(row->fault)};
    if (line.fault.empty() && row->fields.size() != columns_.size())
      line.fault = "expected " + std::to_string(columns_.size()) +
                   " fields, as the first line has, found " + std::to_string(row->fields.size());
    if (line.fault.empty()) line.text = row_record(columns_, row->fields, map_);
    return line;
  }

  RecordReader::Position position() const override { return position_of(file_); }

 private:
  /// The name without .gz, by which the reader knows what separates fields.
  static std::string name_of(const std::string& path) {
    return path.ends_with(".gz") ? path.substr(0, path.size() - 3) : path;
  }

  InputFile file_;
  CsvReader reader_;
  const FieldMap map_;
  const std::vector<std::string> columns_;
};

/// The elements of an array of JSON, cut where they end, so that each is read by itself.
class Elements : public RecordFile::Form {
 public:
  Elements(const std::string& path, FieldMap map) : path_(path), file_(path), map_(std::move(map)) {
    while (peek() != '[') take();  // a byte order mark, and blanks
    take();
  }

  std::optional<RecordLine> next() override {
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

  RecordReader::Position position() const override { return position_of(file_); }

 private:
  /// The next byte; 0 at the end of the file.
  char peek() {
    if (!unread_.empty()) return unread_.front();
    unread_ = {buffer_.data(), file_.read(buffer_)};
    return unread_.empty() ? '\0' : unread_.front();
  }

  char take() {
    const char c = peek();
    if (unread_.empty())
      throw Error(Errc::kCorrupt,
                  path_ + ": ends within its array, after " + std::to_string(number_) + " records");
    unread_.remove_prefix(1);
    return c;
  }

  void skip_blank() {
    while (kBlank.find(peek()) != kBlank.npos && peek() != '\0') take();
  }

  std::optional<RecordLine> finish() {
    take();
    is_at_end_ = true;
    skip_blank();
    if (peek() != '\0')
      throw Error(Errc::kCorrupt, path_ + ": expected the end of the file after its array");
    return {};
  }

  /// Reads up to the comma or bracket that follows. What is in an element is judged later.
  void read_element(RecordLine& line) {
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

  static void append(RecordLine& line, char c) {
    if (!line.fault.empty()) return;
    line.text += c;
    if (line.text.size() <= RecordReader::kMaxLineBytes) return;
    line.text.clear();
    line.text.shrink_to_fit();
    line.fault = "longer than the " + std::to_string(RecordReader::kMaxLineBytes) +
                 " bytes that a record may have";
  }

  const std::string path_;
  InputFile file_;
  const FieldMap map_;
  std::vector<char> buffer_ = std::vector<char>(1 << 17);
  std::string_view unread_;
  std::uint64_t number_ = 0;
  bool is_at_end_ = false;
};

bool is_table(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  return std::ranges::any_of(std::array{".csv", ".tsv", ".tab", ".CSV", ".TSV"},
                             [&](const char* end) {
                               return path.ends_with(end);
                             });
}

/// A file is opened twice for this. A pipe cannot be, so it is none.
bool is_array(const std::string& path) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return false;

  InputFile file(path);
  std::array<char, 4096> room = {};
  std::string_view start(room.data(), file.read(room));
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  const auto first = start.find_first_not_of(kBlank);
  return first != start.npos && start[first] == '[';
}

std::unique_ptr<RecordFile::Form> form_of(const std::string& path, FieldMap map) {
  if (is_table(path)) return std::make_unique<Table>(path, std::move(map));
  if (is_array(path)) return std::make_unique<Elements>(path, std::move(map));
  return std::make_unique<Lines>(path, std::move(map));
}

}  // namespace

RecordFile::RecordFile(const std::string& path, FieldMap map)
    : form_(form_of(path, std::move(map))) {}

RecordFile::~RecordFile() = default;

std::optional<RecordLine> RecordFile::next() { return form_->next(); }

RecordReader::Position RecordFile::position() const { return form_->position(); }

}  // namespace kindred
