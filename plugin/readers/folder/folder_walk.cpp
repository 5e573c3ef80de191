#include "plugin/readers/folder/folder_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>
#include <vector>

namespace kindred {

/// A folder on the way down.
struct Level {
  Level(int folder, std::string its_prefix)
      : descriptor(std::make_unique<OpenFile>(folder)), prefix(std::move(its_prefix)) {}

  std::unique_ptr<OpenFile> descriptor;
  std::string prefix;  // of the paths of its entries: "" or "letters/2024/"
  std::vector<std::string> names;
  std::size_t next = 0;
};

namespace {

constexpr std::size_t kMostLevels = 256;  // each has an open descriptor

/// Reads the names of a folder, sorted. What failed, if anything did.
std::error_code read_names(Level& level) {
  // The stream closes its descriptor, and the level needs its own for what is in the folder.
  const int own = ::openat(*level.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own < 0) return last_fault();
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(own), ::closedir);
  if (stream == nullptr) return last_fault();

  std::error_code fault;
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(stream.get());
    if (entry == nullptr) {
      if (errno != 0) fault = last_fault();
      break;
    }
    const std::string name = entry->d_name;
    if (name != "." && name != "..") level.names.push_back(name);
  }
  std::ranges::sort(level.names);
  return fault;
}

FolderEntry unreadable(std::string path, std::string fault) {
  FolderEntry entry;
  entry.kind = FolderEntry::Kind::kUnreadable;
  entry.path = std::move(path);
  entry.fault = std::move(fault);
  return entry;
}

}  // namespace

struct FolderWalk::Impl {
  std::vector<Level> levels;
  const OpenFile* folder = nullptr;  // that the latest entry is in
  std::string name;                  // of the latest entry

  std::optional<FolderEntry> enter(const std::string& path) {
    if (levels.size() >= kMostLevels)
      return unreadable(path, "nested in more than " + std::to_string(kMostLevels) + " folders");
    const int opened = ::openat(*levels.back().descriptor, name.c_str(),
                                O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0) return unreadable(path, last_fault().message());

    levels.emplace_back(opened, path + "/");
    const std::error_code fault = read_names(levels.back());
    if (!fault) return {};
    return unreadable(path, fault.message());
  }

  /// True for a folder of mails, as ".Sent" in a Maildir is one.
  bool is_maildir() const {
    struct stat status = {};
    const std::string mails = name + "/cur";
    return ::fstatat(*folder, mails.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(status.st_mode);
  }

  /// The entry of the name; nothing for a folder, which is entered.
  std::optional<FolderEntry> look_at(const Level& level) {
    folder = level.descriptor.get();
    FolderEntry entry;
    entry.kind = FolderEntry::Kind::kHidden;
    entry.path = level.prefix + name;
    if (name.starts_with('.') && !is_maildir()) return entry;

    struct stat status = {};
    if (::fstatat(*folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) return {};  // it went since the folder was read
      return unreadable(entry.path, last_fault().message());
    }

    if (S_ISDIR(status.st_mode)) return enter(entry.path);
    entry.kind = FolderEntry::Kind::kSpecial;
    if (S_ISREG(status.st_mode)) {
      entry.kind = FolderEntry::Kind::kFile;
      entry.bytes = static_cast<std::uint64_t>(status.st_size);
    }
    if (S_ISLNK(status.st_mode)) entry.kind = FolderEntry::Kind::kLink;
    return entry;
  }
};

FolderWalk::FolderWalk(const std::string& folder) : impl_(std::make_unique<Impl>()) {
  Level top(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), "");
  const std::error_code fault = *top.descriptor < 0 ? last_fault() : read_names(top);
  if (fault) throw Error(Errc::kNotFound, folder + ": cannot be read: " + fault.message());
  impl_->levels.push_back(std::move(top));
}

FolderWalk::~FolderWalk() = default;

std::optional<FolderEntry> FolderWalk::next() {
  std::vector<Level>& levels = impl_->levels;
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.next == level.names.size()) {
      levels.pop_back();
      continue;
    }

    impl_->name = std::move(level.names[level.next]);
    ++level.next;
    std::optional<FolderEntry> entry = impl_->look_at(level);
    if (entry) return entry;
  }
  return {};
}

int FolderWalk::open_file() const {
  return ::openat(*impl_->folder, impl_->name.c_str(),
                  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

}  // namespace kindred
