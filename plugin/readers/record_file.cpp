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

#include "plugin/input/input_file.h"
#include "plugin/readers/decoded_text.h"
#include "plugin/readers/record_forms.h"

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

/// A form of a whole file: TableRecords or ArrayRecords.
template <typename Records>
class Whole : public RecordFile::Form {
 public:
  Whole(const std::string& path, FieldMap map)
      : file_(path), records_(path, source(), std::move(map)) {}

  std::optional<RecordLine> next() override { return records_.next(); }

  RecordReader::Position position() const override {
    return {file_.read_bytes(), file_.all_bytes()};
  }

 private:
  ByteSource source() {
    return [this](std::span<char> room) {
      return file_.read(room);
    };
  }

  InputFile file_;
  Records records_;
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
  if (is_table(path)) return std::make_unique<Whole<TableRecords>>(path, std::move(map));
  if (is_array(path)) return std::make_unique<Whole<ArrayRecords>>(path, std::move(map));
  return std::make_unique<Lines>(path, std::move(map));
}

}  // namespace

RecordFile::RecordFile(const std::string& path, FieldMap map)
    : form_(form_of(path, std::move(map))) {}

RecordFile::~RecordFile() = default;

std::optional<RecordLine> RecordFile::next() { return form_->next(); }

RecordReader::Position RecordFile::position() const { return form_->position(); }

}  // namespace kindred
