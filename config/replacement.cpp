#include "config/replacement.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string_view>

#include "config/regular_file.h"

namespace kindred {
namespace {

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
