#include "config/replacement.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <random>

#include "config/regular_file.h"

namespace kindred {
namespace {

constexpr std::string_view kMark = ".new-";
constexpr std::size_t kDigits = 16;

/// NAME.new- and 16 hexadecimal digits, different for each call of any process.
std::string unused_name(const std::string& name) {
  // Random, because other processes count their calls, too; the count is for those of this one,
  // should its source of random numbers give the same again.
  static std::atomic<std::uint64_t> calls{0};
  std::random_device random;
  const std::uint64_t number = (std::uint64_t{random()} << 32 | random()) + ++calls;

  char digits[kDigits + 1];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
  return name + std::string(kMark) + digits;
}

/// Locks a file for as long as it is open. False if somebody else has locked it, or if the file
/// system has no locks, as some network file systems.
bool lock(int file) { return ::flock(file, LOCK_EX | LOCK_NB) == 0; }

/// Removes the files that writers of this one left when they were killed. The system has released
/// their locks.
void remove_leftovers(const GuardedFile& replaced) {
  for (const std::string& name : replaced.folder().names()) {
    if (!is_unfinished_name(name, replaced.name())) continue;
    try {
      // A file whose writer lives is locked by it, and stays.
      const GuardedFile leftover(replaced.folder(), name, replaced.owners());
      const OpenFile file(leftover.open(O_RDONLY));
      std::error_code ignored;
      if (lock(file)) leftover.remove(ignored);
    } catch (const Error&) {  // what is no file of ours stays
    }
  }
}

/// Does this as far as the process may: only root can give a file to another owner.
void copy_owner_and_permissions(int file, const GuardedFile& from) {
  const auto old = from.status();
  struct stat own {};
  if (!old || ::fstat(file, &own) != 0) return;

  // The permissions only with the owner: to somebody else they would give what they gave to the old
  // one.
  const bool same = own.st_uid == old->st_uid && own.st_gid == old->st_gid;
  if (same || ::fchown(file, old->st_uid, old->st_gid) == 0) ::fchmod(file, old->st_mode & 0777);
}

/// True if nobody else has locked the file, and nobody removed it as a leftover before it was
/// locked.
bool is_held(int file) {
  struct stat own {};
  const bool locked = lock(file) || errno != EWOULDBLOCK;
  return locked && ::fstat(file, &own) == 0 && own.st_nlink > 0;
}

}  // namespace

bool is_hexadecimal_name(std::string_view name) {
  return name.size() == kDigits &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_unfinished_name(std::string_view name, std::string_view replaced) {
  if (!name.starts_with(replaced)) return false;
  name.remove_prefix(replaced.size());
  return name.starts_with(kMark) && is_hexadecimal_name(name.substr(kMark.size()));
}

Replacement::Unfinished::~Unfinished() {
  if (file < 0) return;
  if (!name.empty()) ::unlinkat(folder.descriptor(), name.c_str(), 0);
  ::close(file);
}

Replacement::Replacement(const GuardedFile& replaced)
    : replaced_(replaced), unfinished_(replaced.folder()) {
  // What may not be replaced is refused before a file is made beside it.
  replaced.check();
  fault_ = replaced.folder().fault();
  if (!fault_) remove_leftovers(replaced);
  if (!fault_) make();

  if (fault_) return;

  // Now, while the file is empty: what is written to it is never seen by more people than the old
  // content.
  copy_owner_and_permissions(descriptor(), replaced);
  replaced.give_away(descriptor());
}

/// Makes the file, under names that nobody uses until nobody has taken it for a leftover.
void Replacement::make() {
  for (;;) {
    unfinished_.name = unused_name(replaced_.name());
    const int file = ::openat(replaced_.folder().descriptor(), unfinished_.name.c_str(),
                              O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (file < 0 && errno == EEXIST) continue;
    if (file < 0) {
      fault_ = last_fault();
      return;
    }

    // Another process may take the new file for a leftover until it is locked, and remove it. Then
    // the next name is tried.
    if (is_held(file)) {
      unfinished_.file = file;
      return;
    }
    ::close(file);
  }
}

std::error_code Replacement::place() {
  // It may have become a link, or somebody else's, since the constructor looked.
  replaced_.check();
  const int folder = replaced_.folder().descriptor();
  if (::renameat(folder, unfinished_.name.c_str(), folder, replaced_.name().c_str()) != 0)
    return last_fault();

  unfinished_.name.clear();  // nothing is left to remove

  // A name that is not on the disk is lost with the power.
  replaced_.folder().sync();
  return {};
}

}  // namespace kindred
