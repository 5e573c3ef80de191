#include "config/guarded_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/fsuid.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "config/error.h"

namespace kindred {
namespace {

using Status = struct stat;

/// The folder of a file at this path.
std::string folder_of(const std::filesystem::path& path) {
  if (path.has_parent_path()) return path.parent_path().string();
  return ".";
}

std::shared_ptr<const OpenFile> opened(int folder) {
  return std::make_shared<const OpenFile>(folder);
}

/// What was expected of an owner, and what was found.
std::string wrong_owner(uid_t found, const Owners& owners) {
  return "belongs to user " + std::to_string(found) + ", expected " +
         std::to_string(owners.users.front()) + ", " + owners.whose;
}

bool owns(const Owners& owners, uid_t user) {
  return std::ranges::find(owners.users, user) != owners.users.end();
}

/// Gives what this process has made in a folder to whom it is to belong, with the group of the
/// folder. False if it may not, and it belongs to nobody to whom it may belong.
bool give(int made, const Owners& owners, const GuardedFolder& folder) {
  Status own{};
  Status around{};

  if (::fstat(made, &own) != 0) return false;
  if (own.st_uid == owners.users.front()) return true;

  // Only root can give it away. A process that is one of the possible owners itself may keep it.
  const bool is_given = ::fstat(folder.descriptor(), &around) == 0 &&
                        ::fchown(made, owners.users.front(), around.st_gid) == 0;
  return is_given || owns(owners, own.st_uid);
}

std::string cannot_be_given(const Owners& owners) {
  return "cannot be made by user " + std::to_string(file_user()) + ", expected " +
         std::to_string(owners.users.front()) + ", " + owners.whose;
}

}  // namespace

GuardedFolder::GuardedFolder(const std::string& path)
    : path_(path), folder_(opened(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))) {
  if (*folder_ < 0) fault_ = last_fault();
}

GuardedFolder::GuardedFolder(const GuardedFile& there, bool make) : path_(there.path()) {
  const GuardedFolder& parent = there.folder();
  const std::string& name = there.name();
  const Owners& owners = there.owners();
  const auto refuse = [this](Errc code, const std::string& why) {
    throw Error(code, path_ + ": " + why);
  };

  if (parent.fault()) refuse(Errc::kNotFound, parent.fault().message());

  // Made and then opened without following a link, so that what is checked below is the folder
  // itself, whatever stands at its name by now. The reason why it could not be made is kept,
  // because the next call has a reason of its own.
  const bool is_made = make && ::mkdirat(parent.descriptor(), name.c_str(), 0777) == 0;
  const std::error_code unmade = last_fault();
  folder_ = opened(
      ::openat(parent.descriptor(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const std::error_code closed = last_fault();

  // Why it cannot be opened: what is there, or, if nothing is, why it could not be made.
  Status status{};
  if (descriptor() < 0) {
    const bool is_there =
        ::fstatat(parent.descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (is_there && !S_ISDIR(status.st_mode)) {
      const std::string found = S_ISREG(status.st_mode) ? "Is a file" : kind_of(status);
      refuse(Errc::kInvalidArgument, found + ", expected a folder");
    }
    if (make && !is_there) refuse(Errc::kDatabase, "cannot be written: " + unmade.message());
    refuse(Errc::kNotFound, closed.message());
  }

  // A new folder that cannot belong to the right user is removed again: nobody could use it. One
  // that was there must belong to one of them.
  if (is_made && !give(descriptor(), owners, parent)) {
    ::unlinkat(parent.descriptor(), name.c_str(), AT_REMOVEDIR);
    refuse(Errc::kInvalidArgument, cannot_be_given(owners));
  }

  if (::fstat(descriptor(), &status) != 0) refuse(Errc::kNotFound, last_fault().message());
  if (!owns(owners, status.st_uid))
    refuse(Errc::kInvalidArgument, wrong_owner(status.st_uid, owners));
}

std::optional<uid_t> GuardedFolder::owner() const {
  Status status{};
  if (descriptor() < 0 || ::fstat(descriptor(), &status) != 0) return std::nullopt;
  return status.st_uid;
}

std::vector<std::string> GuardedFolder::names() const {
  std::vector<std::string> names;

  // Opened anew, because a folder opened for its path alone (O_PATH) cannot be read.
  const int file = ::openat(descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return names;

  DIR* const list = ::fdopendir(file);
  if (list == nullptr) {
    ::close(file);
    return names;
  }

  while (const dirent* const entry = ::readdir(list)) names.emplace_back(entry->d_name);
  ::closedir(list);
  return names;
}

void GuardedFolder::sync() const {
  const OpenFile file(::openat(descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file >= 0) ::fsync(file);
}

GuardedFile::GuardedFile(const std::string& path, Owners owners)
    : folder_(folder_of(path)),
      name_(std::filesystem::path(path).filename()),
      path_(path),
      owners_(std::move(owners)) {
  check_path(path, "a file");
}

GuardedFile::GuardedFile(GuardedFolder folder, const std::string& name, Owners owners)
    : folder_(std::move(folder)),
      name_(name),
      path_(folder_.path() + "/" + name),
      owners_(std::move(owners)) {}

std::optional<struct stat> GuardedFile::status() const {
  Status status{};
  if (::fstatat(folder_.descriptor(), name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  return status;
}

std::string GuardedFile::stamp() const {
  const auto found = status();
  if (found) return stamp_of(*found);
  return std::string();
}

void GuardedFile::check(const Status& status) const {
  const auto refuse = [this](const std::string& why) {
    throw Error(Errc::kInvalidArgument, path_ + ": " + why);
  };
  if (!S_ISREG(status.st_mode)) refuse(kind_of(status) + ", expected a regular file");
  if (!owns(owners_, status.st_uid)) refuse(wrong_owner(status.st_uid, owners_));
}

void GuardedFile::check() const {
  if (const auto found = status()) check(*found);
}

int GuardedFile::open(int flags) const {
  check();  // first, because a device or the writer of a FIFO may notice that it is opened
  const int file = ::openat(folder_.descriptor(), name_.c_str(),
                            flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
  std::error_code fault = last_fault();
  if (folder_.fault()) fault = folder_.fault();
  if (file < 0) throw Error(Errc::kNotFound, path_ + ": " + fault.message());

  // What stood at the name may have been replaced since check(), so the open file is looked at
  // again.
  try {
    Status status{};
    if (::fstat(file, &status) == 0) check(status);
  } catch (const Error&) {
    ::close(file);
    throw;
  }

  return file;
}

bool GuardedFile::remove(std::error_code& fault) const {
  // That there is no file is no fault: then there is nothing to remove.
  if (!exists()) {
    std::error_code why = last_fault();
    if (folder_.fault()) why = folder_.fault();
    if (why != std::errc::no_such_file_or_directory) fault = why;
    return false;
  }

  check();
  if (::unlinkat(folder_.descriptor(), name_.c_str(), 0) == 0) return true;
  fault = last_fault();
  return false;
}

void GuardedFile::give_away(int new_file) const {
  if (!give(new_file, owners_, folder_))
    throw Error(Errc::kInvalidArgument, path_ + ": " + cannot_be_given(owners_));
}

FileContent read_regular_file(const GuardedFile& file, const std::string& what,
                              std::size_t max_bytes) {
  return read_open_file(OpenFile(file.open(O_RDONLY)), file.path(), what, max_bytes);
}

uid_t file_user() {
  constexpr auto kAsk = static_cast<uid_t>(-1);  // which is no user, so nothing is set
  return static_cast<uid_t>(::setfsuid(kAsk));
}

Owners owners_of_named_file(const std::string& path) {
  Owners owners{{file_user()}, "the user of this process"};
  if (const auto owner = GuardedFolder(folder_of(path)).owner()) owners.users.push_back(*owner);
  return owners;
}

}  // namespace kindred
