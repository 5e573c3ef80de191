#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "plugin/input/record_reader.h"
#include "plugin/readers/field_map.h"

namespace kindred {

/// Reads the records of a file as JSON, whatever its form: a table if its name ends in .csv, .tsv
/// or .tab, an array of JSON if its first sign is '[', else JSON Lines. Each may be gzip, and its
/// name then end in .gz, too. Standard input and pipes without such a name are JSON Lines. Memory
/// is bounded by the longest record. For one thread.
class RecordFile {
 public:
  /// `path` may be "-" for standard input.
  /// @throws Error as RecordReader and CsvReader::header(); kInvalidArgument for a map with a key
  /// that is none of the columns.
  explicit RecordFile(const std::string& path, FieldMap map = {});
  ~RecordFile();

  /// The next record; nothing at the end. Its number is that of its line, in an array its place.
  /// Blocks. @throws Error as RecordReader; kCorrupt for an array that is damaged or breaks off.
  std::optional<RecordLine> next();

  /// How much of the file was read.
  RecordReader::Position position() const;

  class Form;

 private:
  std::unique_ptr<Form> form_;
};

}  // namespace kindred
