#pragma once

#include <string>
#include <string_view>

#include "config/guarded_file.h"
#include "plugin/input/record.h"
#include "plugin/writing/ingest.h"

namespace kindred {

/// The JSON object that parse_record() reads as this record. Malformed UTF-8 becomes U+FFFD.
std::string record_json(const Record& record);

/// A line of JSON that says why a record was not indexed, without its end.
///
/// - The record is a JSON object: the same object, byte for byte, behind one more key:
///   {"dead_letter":{"reason":...,"file":...,"line":...},...}. parse_record() ignores that key. One
///   that is there already is replaced.
/// - It is anything else: {"dead_letter":{"reason":...,"file":...,"line":...,"raw":"..."}}, or
///   "base64" instead of "raw" if it is not UTF-8. parse_record() refuses that.
/// - `json` is "" (the line was too long to be read): there is neither.
///
/// A record that has no file has no "file" and "line".
std::string dead_letter(std::string_view json, const std::string& reason,
                        const RecordOrigin& origin);

/// A file that dead letters are appended to. For one thread.
class DeadLetters {
 public:
  /// Opens the file, or makes it. If its last line breaks off, the next one begins on a new line.
  /// @throws Error kInvalidArgument as GuardedFile::check(); kNotFound if it cannot be opened.
  explicit DeadLetters(const std::string& path);

  /// Adds a line, which reaches the file with the next flush().
  void add(std::string_view line);

  /// Writes what was added, and syncs it to disk.
  /// @throws Error kDatabase that names the file. Lines that were not written are kept.
  void flush();

 private:
  [[noreturn]] void fail(int fault) const;

  const std::string path_;
  const OpenFile file_;
  std::string unwritten_;
};

}  // namespace kindred
