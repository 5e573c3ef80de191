#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "config/api.h"

namespace kindred {

/// A line of a JSON Lines file that is not blank.
struct RecordLine {
  std::string text;          ///< without its line end
  std::uint64_t number = 0;  ///< 1-based; blank lines count
  std::string fault;         ///< why the line was skipped, with `text` empty; "" if it was read
};

/// Reads JSON Lines from a file, plain or gzip (told by content, members may follow each other), or
/// from standard input. A line that is too long is skipped without being kept in memory. A UTF-8
/// byte order mark at the start is no part of the first line. For one thread.
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
  /// gzip, or gzip with anything but zero bytes behind it (a line that breaks off is not returned).
  /// Both name the file.
  std::optional<RecordLine> next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kindred
