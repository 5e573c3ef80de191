#include "config/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>

namespace kindred {
namespace {

using Status = struct stat;

constexpr std::size_t kBlock = 1 << 16;

/// Reads a file, and says what is wrong with it.
class Reading {
 public:
  Reading(const std::string& path, const std::string& what, std::size_t max_bytes)
      : begin_(path + ": " + what + " cannot be read: "), max_bytes_(max_bytes) {}

  FileContent read(const std::string& path) const {
    Status status{};
    if (::stat(path.c_str(), &status) != 0) fail();
    check(status);  // first, because a device or the writer of a FIFO may notice that it is opened
    return read(OpenFile(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)));
  }

  FileContent read(const OpenFile& file) const {
    Status status{};
    if (file < 0 || ::fstat(file, &status) != 0) fail();
    check(status);
    return {bytes_of(file, static_cast<std::size_t>(status.st_size)), stamp_of(status)};
  }

 private:
  [[noreturn]] void fail() const { throw Error(Errc::kNotFound, begin_ + last_fault().message()); }
  [[noreturn]] void refuse(const std::string& found) const {
    throw Error(Errc::kInvalidArgument, begin_ + found);
  }
  [[noreturn]] void refuse_length() const {
    refuse("expected at most " + std::to_string(max_bytes_) + " bytes");
  }

  void check(const Status& status) const {
    if (!S_ISREG(status.st_mode)) refuse(kind_of(status) + ", expected a regular file");
    if (static_cast<std::size_t>(status.st_size) > max_bytes_) refuse_length();
  }

  /// All bytes. `expected` may be wrong: the length may have changed, and files below /proc do not
  /// tell it.
  std::string bytes_of(int file, std::size_t expected) const {
    std::string bytes;
    bytes.reserve(expected + kBlock);

    // The block grows with what is expected, and is never smaller than kBlock, so that a file of
    // unknown length is read, too. The end of the file alone ends the loop.
    std::size_t size = 0;
    while (true) {
      bytes.resize(size + std::clamp(expected - std::min(size, expected), kBlock, 64 * kBlock));
      const ssize_t count = ::read(file, bytes.data() + size, bytes.size() - size);

      if (count < 0 && errno != EINTR) fail();
      if (count > 0) size += static_cast<std::size_t>(count);
      if (size > max_bytes_) refuse_length();

      if (count != 0) continue;
      bytes.resize(size);
      return bytes;
    }
  }

  const std::string begin_;
  const std::size_t max_bytes_;
};

}  // namespace

std::string kind_of(const Status& status) {
  if (S_ISLNK(status.st_mode)) return "Is a link";
  if (S_ISFIFO(status.st_mode)) return "Is a FIFO";
  if (S_ISDIR(status.st_mode)) return "Is a directory";
  if (S_ISSOCK(status.st_mode)) return "Is a socket";
  return "Is a device";
}

std::string stamp_of(const Status& status) {
  return std::to_string(status.st_ino) + "-" + std::to_string(status.st_size) + "-" +
         std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

std::string file_stamp(const std::string& path) {
  Status found{};
  if (::stat(path.c_str(), &found) == 0) return stamp_of(found);
  return std::string();
}

FileContent read_regular_file(const std::string& path, const std::string& what,
                              std::size_t max_bytes) {
  check_path(path, what);
  return Reading(path, what, max_bytes).read(path);
}

FileContent read_open_file(const OpenFile& file, const std::string& path, const std::string& what,
                           std::size_t max_bytes) {
  return Reading(path, what, max_bytes).read(file);
}

}  // namespace kindred
