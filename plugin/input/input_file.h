#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "config/api.h"

namespace kindred {

/// The bytes of a file, a pipe or standard input. A gzip file is known by its first two bytes, and
/// is unpacked member by member. Zero bytes after a member are padding, as for gzip(1); anything
/// else there is damage. For one thread.
class KINDRED_API InputFile {
 public:
  /// `path` may be "-" for standard input.
  /// @throws Error kNotFound if the file cannot be opened.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Reads the next bytes into `room`, 1 byte to 2 GiB, and returns how many; 0 at the end.
  /// Blocks.
  /// @throws Error kNotFound if the file cannot be read; kCorrupt if it is damaged or truncated
  /// gzip, after everything before the damage has been returned. Both messages name the file.
  std::size_t read(std::span<char> room);

  /// How much of the file was read, in bytes as they lie there; at most all of them.
  std::uint64_t read_bytes() const;
  /// 0: not known, as of a pipe.
  std::uint64_t all_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kindred
