#pragma once

#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "config/api.h"
#include "config/error.h"

namespace kindred {

/// A text that changes whenever a file is rewritten or removed; "" if there is no file.
std::string file_stamp(const std::string& path);

/// What a file holds, and the stamp of the file that was read. While somebody writes to it, its
/// stamp changes.
struct FileContent {
  std::string bytes;
  std::string stamp;
};

/// Reads a whole regular file of at most `max_bytes`. It neither waits for a writer, as opening a
/// FIFO would, nor reads without end, as from a device. `what` says in messages what the file is,
/// for instance "the tuning file".
/// @throws Error that names the file and what was expected: kNotFound if there is none or it cannot
/// be read; kInvalidArgument if it is not a regular file, or too long.
FileContent read_regular_file(const std::string& path, const std::string& what,
                              std::size_t max_bytes);

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

/// A folder for temporary files that only its owner may enter. It is removed at the end of the
/// scope. @throws std::system_error if it cannot be made.
class PrivateFolder {
 public:
  PrivateFolder() : path_((std::filesystem::temp_directory_path() / "kindred-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::system_error(errno, std::generic_category());
  }
  ~PrivateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Refuses a path with a zero byte: the system would end it there and open another file. `what` is,
/// for instance, "a database". @throws Error kInvalidArgument.
inline void check_path(const std::string& path, const std::string& what) {
  if (path.find('\0') != std::string::npos)
    throw Error(Errc::kInvalidArgument,
                path + ": expected the path of " + what + ", without zero bytes");
}

/// A new file that takes the place of another in one step. It is written beside the old one, in the
/// same folder, under a name that no other call uses, and then renamed. So a reader finds either
/// the whole old file or the whole new one. Also removes the unfinished files that killed processes
/// left for the same path; it knows them because nobody holds them locked.
class KINDRED_API Replacement {
 public:
  /// Makes an empty file beside `path`. If there is a file at `path`, the new one gets its owner
  /// and permissions as far as possible, else those of the umask. Check fault() before writing.
  explicit Replacement(const std::string& path);

  /// Removes the file unless it took its place.
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  /// Why the file could not be made; no error if it was.
  std::error_code fault() const { return fault_; }
  const std::string& name() const { return name_; }  ///< to be opened and written
  int descriptor() const { return file_; }           ///< or written to through this

  /// Renames it to `path`. Returns what failed, if anything did; the old file is then unchanged.
  [[nodiscard]] std::error_code place();

 private:
  const std::string path_;
  std::string name_;
  int file_ = -1;
  std::error_code fault_;
};

}  // namespace kindred
