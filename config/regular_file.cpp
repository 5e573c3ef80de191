#include "config/regular_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string_view>

namespace kindred {
namespace {

using Status = struct stat;

constexpr std::size_t kBlock = 1 << 16;

std::string stamp_of(const Status& status) {
  return std::to_string(status.st_ino) + "-" + std::to_string(status.st_size) + "-" +
         std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

std::string_view kind_of(const Status& status) {
  if (S_ISFIFO(status.st_mode)) return "Is a FIFO";
  if (S_ISDIR(status.st_mode)) return "Is a directory";
  if (S_ISSOCK(status.st_mode)) return "Is a socket";
  return "Is a device";
}

/// A file, and the beginning of messages about it.
class Reading {
 public:
  Reading(const std::string& path, const std::string& what, std::size_t max_bytes)
      : path_(path), begin_(path + ": " + what + " cannot be read: "), max_bytes_(max_bytes) {}

  FileContent read() const {
    Status status{};
    if (::stat(path_.c_str(), &status) != 0) fail();
    check(status);  // first, because a device or the writer of a FIFO may notice that it is opened
    const OpenFile file(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
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
    if (!S_ISREG(status.st_mode))
      refuse(std::string(kind_of(status)) + ", expected a regular file");
    if (static_cast<std::size_t>(status.st_size) > max_bytes_) refuse_length();
  }

  /// All bytes. `expected` may be wrong: the length may have changed, and files below /proc do not
  /// tell it.
  std::string bytes_of(int file, std::size_t expected) const {
    std::string bytes;
    bytes.reserve(expected + kBlock);
    for (std::size_t size = 0;;) {
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

  const std::string& path_;
  const std::string begin_;
  const std::size_t max_bytes_;
};

constexpr std::string_view kMark = ".new-";
constexpr std::size_t kDigits = 16;

/// PATH.new- and 16 hexadecimal digits, different for each call of any process.
std::string unused_name(const std::string& path) {
  static std::atomic<std::uint64_t> calls{0};
  std::random_device random;
  const std::uint64_t number = (std::uint64_t{random()} << 32 | random()) + ++calls;
  char digits[kDigits + 1];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
  return path + std::string(kMark) + digits;
}

/// True if `name` is one that unused_name() makes for a file called `replaced`.
bool is_ours(std::string_view name, std::string_view replaced) {
  if (!name.starts_with(replaced)) return false;
  name.remove_prefix(replaced.size());
  if (!name.starts_with(kMark)) return false;
  name.remove_prefix(kMark.size());
  return name.size() == kDigits &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Locks a file for as long as it is open. False if somebody else has locked it, or if the file
/// system has no locks, as some network file systems.
bool lock(int file) { return ::flock(file, LOCK_EX | LOCK_NB) == 0; }

/// Removes the files that writers of `path` left when they were killed. The system has released
/// their locks.
void remove_leftovers(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code ignored;
  for (std::filesystem::directory_iterator it(folder, ignored), end; !ignored && it != end;
       it.increment(ignored)) {
    if (!is_ours(it->path().filename().string(), path.filename().string())) continue;
    const OpenFile file(::open(it->path().c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
    if (file >= 0 && lock(file)) ::unlink(it->path().c_str());
  }
}

/// Does this as far as the process may: only root can give a file to another owner.
void copy_owner_and_permissions(int file, const std::string& from) {
  struct stat old {};
  if (::lstat(from.c_str(), &old) != 0 || !S_ISREG(old.st_mode)) return;
  struct stat own {};
  const bool same =
      ::fstat(file, &own) == 0 && own.st_uid == old.st_uid && own.st_gid == old.st_gid;
  if (same || ::fchown(file, old.st_uid, old.st_gid) == 0) ::fchmod(file, old.st_mode & 0777);
}

/// True if nobody else has locked the file, and nobody removed it as a leftover before it was
/// locked.
bool is_held(int file) {
  struct stat own {};
  const bool locked = lock(file) || errno != EWOULDBLOCK;
  return locked && ::fstat(file, &own) == 0 && own.st_nlink > 0;
}

}  // namespace

std::string file_stamp(const std::string& path) {
  Status found{};
  return ::stat(path.c_str(), &found) == 0 ? stamp_of(found) : std::string();
}

FileContent read_regular_file(const std::string& path, const std::string& what,
                              std::size_t max_bytes) {
  check_path(path, what);
  return Reading(path, what, max_bytes).read();
}

Replacement::Replacement(const std::string& path) : path_(path) {
  remove_leftovers(path);
  for (;;) {
    name_ = unused_name(path);
    file_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && errno == EEXIST) continue;
    if (file_ < 0) {
      fault_ = last_fault();
      return;
    }
    if (is_held(file_)) break;
    ::close(file_);
  }
  copy_owner_and_permissions(file_, path);
}

Replacement::~Replacement() {
  if (file_ < 0) return;
  if (!name_.empty()) ::unlink(name_.c_str());
  ::close(file_);
}

std::error_code Replacement::place() {
  if (std::rename(name_.c_str(), path_.c_str()) != 0) return last_fault();
  name_.clear();  // nothing is left to remove
  return {};
}

}  // namespace kindred
