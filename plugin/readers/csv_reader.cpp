#include "plugin/readers/csv_reader.h"

#include <csv.h>
#include <unicode/utf8.h>
#include <algorithm>
#include <deque>
#include <iterator>
#include <new>
#include <set>
#include <string_view>
#include <utility>

#include "config/error.h"
#include "plugin/input/input_file.h"

namespace kindred {

/// A line with its end, which may be "\n", "\r\n", "\r" or, at the end of the file, none.
struct CsvLine {
  std::string text;
  std::uint64_t number = 0;
  bool is_too_long = false;  // and was not kept
};

namespace {

ByteSource bytes_of_file(const std::string& path) {
  return [file = std::make_shared<InputFile>(path)](std::span<char> room) {
    return file->read(room);
  };
}

bool has_tabs_by_name(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name.ends_with(".tsv") || name.ends_with(".tab");
}

/// What a header line has most often outside of quotes; the comma if it has none.
char separator_of(std::string_view header) {
  std::size_t commas = 0;
  std::size_t semicolons = 0;
  std::size_t tabs = 0;
  bool is_quoted = false;

  for (const char byte : header) {
    if (byte == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (byte == ',') ++commas;
    if (byte == ';') ++semicolons;
    if (byte == '\t') ++tabs;
  }
  if (tabs > commas && tabs > semicolons) return '\t';
  return semicolons > commas ? ';' : ',';
}

bool is_blank_line(std::string_view line, char separator) {
  return line.find_first_not_of(separator == '\t' ? " \r\n" : " \t\r\n") == line.npos;
}

std::string_view without_space(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \r\n"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \r\n") + 1);
}

/// The fields of a line with tabs in which quotes are characters like others.
std::vector<std::string> plain_fields(std::string_view line) {
  std::vector<std::string> fields;
  while (true) {
    const std::size_t end = std::min(line.find('\t'), line.size());
    fields.emplace_back(without_space(line.substr(0, end)));
    if (end == line.size()) return fields;
    line.remove_prefix(end + 1);
  }
}

bool has_tab(const std::string& field) { return field.find('\t') != field.npos; }

/// What is wrong with the characters of a field; "" if nothing is.
std::string fault_of(const std::string& field) {
  if (field.find('\0') != field.npos)
    return "has a zero byte: expected UTF-8, UTF-16 with a byte order mark, or Windows-1252";

  const auto* text = reinterpret_cast<const std::uint8_t*>(field.data());
  const auto size = static_cast<std::int32_t>(field.size());
  for (std::int32_t at = 0; at < size;) {
    UChar32 character = 0;
    U8_NEXT(text, at, size, character);
    if (character < 0) return "is not UTF-8, as the rest of the file is";
  }
  return "";
}

/// libcsv's parser, for one row at a time.
class RowParser {
 public:
  explicit RowParser(char separator) {
    csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_delim(&parser_, static_cast<unsigned char>(separator));
  }
  ~RowParser() { csv_free(&parser_); }
  RowParser(const RowParser&) = delete;
  RowParser& operator=(const RowParser&) = delete;

  /// Takes a line with its end. False if that is not CSV.
  bool take(std::string_view line) {
    return csv_parse(&parser_, line.data(), line.size(), take_field, take_end, this) ==
               line.size() &&
           check();
  }
  /// Nothing comes after the last line. False if a quote is still open.
  bool finish() { return csv_fini(&parser_, take_field, take_end, this) == 0 && check(); }

  bool is_whole() const { return is_whole_; }
  std::vector<std::string>& fields() { return fields_; }

 private:
  static void take_field(void* bytes, std::size_t size, void* self) {
    auto& fields = static_cast<RowParser*>(self)->fields_;
    fields.emplace_back(static_cast<const char*>(bytes), size);
  }
  static void take_end(int, void* self) { static_cast<RowParser*>(self)->is_whole_ = true; }

  bool check() {
    if (csv_error(&parser_) == CSV_ENOMEM) throw std::bad_alloc();
    return true;
  }

  csv_parser parser_ = {};
  std::vector<std::string> fields_;
  bool is_whole_ = false;
};

}  // namespace

struct CsvReader::Impl {
  Impl(std::string file, ByteSource source, std::size_t max_row_bytes)
      : name(std::move(file)), text(std::move(source)), max_bytes(max_row_bytes) {}

  const std::string name;
  DecodedText text;
  const std::size_t max_bytes;

  std::string buffer;         // text that was decoded
  std::size_t at = 0;         // where its next line begins
  std::size_t searched = 0;   // up to where that line has no end
  std::deque<CsvLine> ahead;  // lines that are read again
  std::uint64_t number = 0;   // of the line read last
  char separator = '\0';      // '\0': not known yet

  /// Appends text to the buffer, and drops what was used of it; false at the end.
  bool fill() {
    buffer.erase(0, at);
    searched -= at;
    at = 0;
    return text.read(buffer);
  }

  /// Where the line at `at` ends, behind its last character; nothing if that is not in the buffer.
  std::optional<std::size_t> line_end() {
    searched = std::min(buffer.find_first_of("\r\n", searched), buffer.size());
    if (searched == buffer.size()) return {};
    if (buffer[searched] == '\n') return searched + 1;
    if (searched + 1 == buffer.size()) return {};  // perhaps "\r\n"
    return buffer[searched + 1] == '\n' ? searched + 2 : searched + 1;
  }

  std::optional<CsvLine> read_line() {
    if (!ahead.empty()) {
      CsvLine line = std::move(ahead.front());
      ahead.pop_front();
      return line;
    }

    CsvLine line{.text = {}, .number = number + 1};
    std::optional<std::size_t> end = line_end();
    while (!end) {
      // A line that is too long is read to its end, but not kept.
      if (buffer.size() - at > max_bytes) {
        line.is_too_long = true;
        at = searched;
      }
      if (!fill()) break;
      end = line_end();
    }

    const std::size_t behind = end.value_or(buffer.size());
    if (behind == at && !line.is_too_long) return {};
    if (behind - at > max_bytes) line.is_too_long = true;
    if (!line.is_too_long) line.text = buffer.substr(at, behind - at);

    at = behind;
    searched = behind;
    ++number;
    return line;
  }

  /// The fields of the row that begins with this line, by the rules of CSV; nothing if it breaks
  /// them. Appends the lines that it took beside to `more`.
  std::optional<std::vector<std::string>> parse(const CsvLine& first, std::vector<CsvLine>& more) {
    RowParser parser(separator);
    std::size_t bytes = first.text.size();
    if (!parser.take(first.text)) return {};

    // Within quotes a line end is a character of the field.
    while (!parser.is_whole()) {
      std::optional<CsvLine> line = read_line();
      if (!line && !parser.finish()) return {};
      if (!line) break;

      more.push_back(std::move(*line));
      bytes += more.back().text.size();
      if (more.back().is_too_long || bytes > max_bytes || !parser.take(more.back().text)) return {};
    }
    return std::move(parser.fields());
  }

  CsvRow row_from(const CsvLine& first) {
    CsvRow row{.fields = {}, .line = first.number, .fault = {}};
    std::vector<CsvLine> more;
    std::optional<std::vector<std::string>> fields = parse(first, more);

    const bool has_tabs = separator == '\t';
    if (fields && !(has_tabs && std::any_of(fields->begin(), fields->end(), has_tab))) {
      row.fields = std::move(*fields);
      return row;
    }

    // The quotes are not those of CSV. So the row is this line alone.
    ahead.insert(ahead.begin(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
    if (has_tabs) {
      row.fields = plain_fields(first.text);
    } else {
      row.fault =
          "a quote is never closed, or lies within a field: expected a field with quotes to be "
          "enclosed in quotes, and each of its own to be doubled";
    }
    return row;
  }
};

CsvReader::CsvReader(const std::string& path, std::size_t max_row_bytes)
    : CsvReader(path, bytes_of_file(path), max_row_bytes) {}

CsvReader::CsvReader(std::string name, ByteSource source, std::size_t max_row_bytes)
    : impl_(std::make_unique<Impl>(std::move(name), std::move(source), max_row_bytes)) {}

CsvReader::~CsvReader() = default;

std::optional<CsvRow> CsvReader::next() {
  Impl& in = *impl_;
  while (const std::optional<CsvLine> line = in.read_line()) {
    if (line->is_too_long) {
      return CsvRow{.fields = {},
                    .line = line->number,
                    .fault = "longer than the " + std::to_string(in.max_bytes) +
                             " bytes that a row may have"};
    }

    if (is_blank_line(line->text, in.separator)) continue;
    if (in.separator == '\0')
      in.separator = has_tabs_by_name(in.name) ? '\t' : separator_of(line->text);

    CsvRow row = in.row_from(*line);
    for (std::size_t field = 0; field < row.fields.size() && row.fault.empty(); ++field) {
      const std::string fault = fault_of(row.fields[field]);
      if (!fault.empty()) row.fault = "field " + std::to_string(field + 1) + " " + fault;
    }
    if (!row.fault.empty()) row.fields.clear();
    return row;
  }
  return {};
}

std::vector<std::string> CsvReader::header() {
  std::optional<CsvRow> row = next();
  if (!row)
    throw Error(Errc::kInvalidArgument,
                impl_->name + ": is empty: expected a first line with names of columns");
  if (!row->fault.empty())
    throw Error(Errc::kInvalidArgument, place(row->line) + ": " + row->fault);

  std::set<std::string> seen;
  for (const std::string& name : row->fields) {
    if (!name.empty() && !seen.insert(name).second)
      throw Error(Errc::kInvalidArgument,
                  place(row->line) + ": two columns are called '" + name + "'");
  }
  return std::move(row->fields);
}

char CsvReader::separator() const { return impl_->separator == '\0' ? ',' : impl_->separator; }

std::string CsvReader::place(std::uint64_t line) const {
  return impl_->name + ":" + std::to_string(line);
}

}  // namespace kindred
