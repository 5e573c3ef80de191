#pragma once

#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>

#include "config/api.h"
#include "config/error.h"

namespace kindred {

/// What errno says.
inline std::error_code last_fault() { return {errno, std::generic_category()}; }

/// What open() returned, a file or -1. The file is closed at the end of the scope.
class OpenFile {
 public:
  explicit OpenFile(int file) : file_(file) {}
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  operator int() const { return file_; }  // NOLINT(google-explicit-constructor): it stands for it

 private:
  const int file_;
};

/// A text that changes whenever a file is rewritten or removed; "" if there is no file.
std::string file_stamp(const std::string& path);
std::string stamp_of(const struct stat& status);

/// What something is that is no regular file, for messages: "Is a link".
std::string kind_of(const struct stat& status);

/// What a file holds, and the stamp of the file that was read. While somebody writes to it, its
/// stamp changes.
struct FileContent {
  std::string bytes;
  std::string stamp;

  bool operator==(const FileContent&) const = default;
};

/// Reads a whole regular file of at most `max_bytes`. It neither waits for a writer, as opening a
/// FIFO would, nor reads without end, as from a device. `what` says in messages what the file is,
/// for instance "the tuning file".
/// @throws Error that names the file and what was expected: kNotFound if there is none or it cannot
/// be read; kInvalidArgument if it is not a regular file, or too long.
KINDRED_API FileContent read_regular_file(const std::string& path, const std::string& what,
                                          std::size_t max_bytes);

/// Reads a file that is open, as read_regular_file() reads one by its path. For -1 it throws what
/// errno says. `path` is for messages.
FileContent read_open_file(const OpenFile& file, const std::string& path, const std::string& what,
                           std::size_t max_bytes);

/// Refuses a path with a zero byte: the system would end it there and open another file. `what` is,
/// for instance, "a database". @throws Error kInvalidArgument.
inline void check_path(const std::string& path, const std::string& what) {
  if (path.find('\0') != std::string::npos)
    throw Error(Errc::kInvalidArgument,
                path + ": expected the path of " + what + ", without zero bytes");
}

}  // namespace kindred
