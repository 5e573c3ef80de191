#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "config/api.h"

namespace kindred {

/// A line of a JSON Lines file. Blank lines are skipped.
struct RecordLine {
  std::string text;          ///< without its line end
  std::uint64_t number = 0;  ///< 1-based; blank lines count
  std::string fault;         ///< why the line was skipped; `text` is empty then. "" if it was read
};

/// Reads JSON Lines from a file or from standard input, plain or gzip. The content tells which;
/// gzip may have several members. A line that is too long is skipped without being kept in memory.
/// A UTF-8 byte order mark at the start is skipped. For one thread.
class KINDRED_API RecordReader {
 public:
  static constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20;

  /// `path` may be "-" for standard input.
  /// @throws Error kNotFound if the file cannot be opened.
  explicit RecordReader(const std::string& path, std::size_t max_line_bytes = kMaxLineBytes);
  ~RecordReader();
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  /// The next line; nothing at the end. Blocks.
  /// @throws Error kNotFound if the file cannot be read; kCorrupt if it is damaged or truncated
  /// gzip, or gzip followed by anything but zero bytes. A line that breaks off there is not
  /// returned. Both messages name the file.
  std::optional<RecordLine> next();

  /// How much of the file was read, in bytes as they lie there. Some of it may not have been
  /// returned yet.
  struct Position {
    std::uint64_t read = 0;  ///< at most `all`
    std::uint64_t all = 0;   ///< 0: not known, as of a pipe
  };
  Position position() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kindred
