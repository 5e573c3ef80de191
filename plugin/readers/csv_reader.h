#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugin/readers/decoded_text.h"

namespace kindred {

/// A row of a table. Rows may have different numbers of fields.
struct CsvRow {
  std::vector<std::string>
      fields;              ///< in UTF-8, without quotes and without white space around them
  std::uint64_t line = 0;  ///< where the row starts, 1-based; blank lines count
  std::string fault;       ///< why it was skipped; `fields` is empty then. "" if it is good
};

/// Reads CSV (RFC 4180) and TSV row by row, plain or gzip, in any encoding of DecodedText and with
/// any line ends. Memory is bounded by the longest row. For one thread.
///
/// The first line says what separates fields: a comma, a semicolon or a tab, which it has most
/// often outside of quotes. In a file whose name ends in .tsv or .tab it is the tab. With tabs,
/// quotes that do not enclose a whole field are characters like others, and no field has a tab in
/// it.
///
/// A row with a fault costs no other row: reading goes on at the line after the one where it
/// starts. Blank lines are skipped.
///
///     CsvReader reader("articles.csv");
///     const std::vector<std::string> names = reader.header();
///     while (const auto row = reader.next()) take(*row);
class CsvReader {
 public:
  static constexpr std::size_t kMaxRowBytes = std::size_t{64} << 20;

  /// A file; "-" is standard input. @throws Error as InputFile.
  explicit CsvReader(const std::string& path, std::size_t max_row_bytes = kMaxRowBytes);
  /// What a source has; `name` stands for its path in messages and for the separator.
  CsvReader(std::string name, ByteSource source, std::size_t max_row_bytes = kMaxRowBytes);
  ~CsvReader();

  /// The next row; nothing at the end. Blocks.
  /// @throws Error as InputFile, or what the source throws.
  std::optional<CsvRow> next();

  /// The next row as names of columns; call it first.
  /// @throws Error kInvalidArgument, with path and line, if there is none, if it has a fault, or if
  /// two columns have the same name.
  std::vector<std::string> header();

  /// ',', ';' or '\t'. ',' before the first row was read.
  char separator() const;

  /// What to call a place of the table in a message: "articles.csv:12".
  std::string place(std::uint64_t line) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kindred
