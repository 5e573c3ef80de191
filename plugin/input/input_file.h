#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace kindred {

/// The bytes of a file or of standard input, whatever it is: a pipe as well. gzip, told by its
/// first two bytes, is unpacked member by member. Zero bytes behind a member are padding, as
/// gzip(1) sees it; anything else there is damage. For one thread.
class InputFile {
 public:
  /// `path` may be "-" for standard input.
  /// @throws Error kNotFound if the file cannot be opened.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// The next bytes, at most as many as `room` has; 0 at the end. Blocks.
  /// @throws Error kNotFound if the file cannot be read; kCorrupt if it is damaged or truncated
  /// gzip, once all that came before has been returned. Both name the file.
  std::size_t read(std::span<char> room);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kindred
