#pragma once

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
};

/// Reads JSON Lines from a file, plain or gzip (told by content, members may follow each other), or
/// from standard input. Lines may be as long as memory holds. A UTF-8 byte order mark at the start
/// is no part of the first line. For one thread.
class KINDRED_API RecordReader {
 public:
  /// `path` may be "-" for standard input.
  /// @throws Error kNotFound if the file cannot be opened.
  explicit RecordReader(const std::string& path);
  ~RecordReader();
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  /// The next line; nothing at the end. Blocks.
  /// @throws Error kNotFound if the file cannot be read; kCorrupt if it is damaged or truncated
  /// gzip (a line that breaks off is not returned). Both name the file.
  std::optional<RecordLine> next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kindred
