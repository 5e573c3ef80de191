#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "plugin/input/record.h"
#include "plugin/input/record_reader.h"
#include "plugin/readers/record_file.h"

namespace kindred::cli {

/// A line of the input: a record, or what is wrong with it.
struct ParsedLine {
  std::uint64_t number = 0;
  std::string text;
  Record record;
  std::string error;  ///< "" if the record is good
};

/// The record of a line.
/// @throws Error kInvalidArgument as parse_record(), and if the line was skipped or takes more
/// memory than there is.
Record parse_line(const RecordLine& line);

/// The next lines, at most 1000 and about 64 MiB; none at the end. A line that is not a record is
/// returned with its error.
/// @throws Error from RecordFile.
std::vector<ParsedLine> read_batch(RecordFile& reader);

/// True if the key "split" of the record has this value, or if `split` is "".
bool is_in_split(const Record& record, const std::string& split);

/// Options that say which keys of a file are those of a record.
struct MapOptions {
  std::vector<std::string> map;
  std::string separator;

  /// @throws Error kInvalidArgument as read_field_map().
  FieldMap read() const { return read_field_map(map, separator); }
};
void add_map_options(CLI::App& command, MapOptions& options);

/// Reports a bad line on standard error as FILE:LINE: message, or without a number, 0, as FILE:
/// message.
void report_bad_line(const std::string& path, std::uint64_t number, const std::string& error);

/// Reports bad lines on standard error as FILE:LINE: message: the first ten, or all, and at the end
/// how many more there were.
class BadLines {
 public:
  /// `are_lines`: false for whole files that are no records.
  explicit BadLines(bool all, bool are_lines = true) : all_(all), are_lines_(are_lines) {}
  void report(const std::string& path, std::uint64_t number, const std::string& error);
  /// Returns true if there was none.
  bool finish() const;

 private:
  static constexpr std::uint64_t kShown = 10;
  const bool all_;
  const bool are_lines_;
  std::uint64_t count_ = 0;
};

}  // namespace kindred::cli
