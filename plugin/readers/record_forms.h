#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/input/record_reader.h"
#include "plugin/readers/csv_reader.h"
#include "plugin/readers/decoded_text.h"
#include "plugin/readers/field_map.h"

namespace kindred {

/// The records of a table, CSV or TSV as CsvReader reads it, whose first row names its columns. For
/// one thread.
class TableRecords {
 public:
  /// `name` stands for the path in messages, and its end, .csv or .tsv, for what separates fields;
  /// .gz behind it does not count.
  /// @throws Error as CsvReader::header(); kInvalidArgument for a map with a key that is none of
  /// the columns.
  TableRecords(const std::string& name, ByteSource source, FieldMap map);

  /// The next record, with the number of its line; nothing at the end. Blocks.
  /// @throws what the source throws.
  std::optional<RecordLine> next();

 private:
  CsvReader reader_;
  const FieldMap map_;
  const std::vector<std::string> columns_;
};

/// The elements of an array of JSON, cut where they end, so that each is read by itself. For one
/// thread.
class ArrayRecords {
 public:
  /// `name` stands for the path in messages. The source has an array, perhaps behind blanks and a
  /// byte order mark.
  ArrayRecords(std::string name, ByteSource source, FieldMap map);

  /// The next record, with its place in the array from 1; nothing at the end. Blocks.
  /// @throws Error kCorrupt for an array that is damaged or breaks off; what the source throws.
  std::optional<RecordLine> next();

 private:
  char peek();
  char take();
  void skip_blank();
  std::optional<RecordLine> finish();
  void read_element(RecordLine& line);

  const std::string name_;
  const ByteSource source_;
  const FieldMap map_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 17);
  std::string_view unread_;
  std::uint64_t number_ = 0;
  bool is_at_end_ = false;
};

}  // namespace kindred
