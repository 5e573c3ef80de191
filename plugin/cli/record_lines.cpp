#include "plugin/cli/record_lines.h"

#include <cstddef>
#include <new>

#include "config/error.h"
#include "plugin/cli/output/terminal.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kLines = 1000;
constexpr std::size_t kBytes = std::size_t{64} << 20;

}  // namespace

Record parse_line(const RecordLine& line) {
  if (!line.fault.empty()) throw Error(Errc::kInvalidArgument, line.fault);
  try {
    return parse_record(line.text);
  } catch (const std::bad_alloc&) {
    throw Error(Errc::kInvalidArgument, "takes more memory than there is");
  }
}

std::vector<ParsedLine> read_batch(RecordFile& reader) {
  std::vector<ParsedLine> batch;
  std::size_t bytes = 0;

  // A batch ends by lines or by bytes, so that long records do not fill the memory.
  while (batch.size() < kLines && bytes < kBytes) {
    const auto line = reader.next();
    if (!line) break;

    bytes += line->text.size();
    ParsedLine& parsed = batch.emplace_back();
    parsed.number = line->number;
    try {
      parsed.record = parse_line(*line);
      parsed.text = line->text;
    } catch (const Error& e) {
      parsed.error = e.what();
    }
  }
  return batch;
}

bool is_in_split(const Record& record, const std::string& split) {
  const auto field = record.fields.find("split");
  return split.empty() || (field != record.fields.end() && field->second == split);
}

void add_map_options(CLI::App& command, MapOptions& options) {
  command
      .add_option("--map", options.map,
                  "Keys or columns of the file that are those of a record, as in\n"
                  "text=body,labels=tags")
      ->type_name("KEY=KEY,...");
  command
      .add_option("--separator", options.separator, "What separates labels in one text, such as |")
      ->type_name("TEXT");
}

void report_bad_line(const std::string& path, std::uint64_t number, const std::string& error) {
  tell(path + (number == 0 ? "" : ":" + std::to_string(number)) + ": " + error);
}

void BadLines::report(const std::string& path, std::uint64_t number, const std::string& error) {
  ++count_;
  if (count_ <= kShown || all_) report_bad_line(path, number, error);
}

bool BadLines::finish() const {
  if (count_ > kShown && !all_)
    tell("kindred: and " + std::to_string(count_ - kShown) + " more bad " +
         (are_lines_ ? "lines, which --verbose shows; is this JSON Lines, an object a line?"
                     : "files, which --verbose shows"));
  return count_ == 0;
}

}  // namespace kindred::cli
