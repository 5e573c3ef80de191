#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "config/regular_file.h"

namespace kindred {

/// What lies in a folder or below it.
struct FolderEntry {
  enum class Kind {
    kFile,     ///< a regular file
    kLink,     ///< a symbolic link, which is not followed
    kHidden,   ///< its name begins with a dot, and it is no folder of a Maildir (Maildir++): what
               ///< is in it is left out
    kSpecial,  ///< a pipe, a socket or a device
    kUnreadable,  ///< a folder that could not be read, or not to its end
  };

  Kind kind = Kind::kFile;
  std::string path;         ///< relative to the folder, such as "letters/2024/may.txt"
  std::uint64_t bytes = 0;  ///< of kFile: its size
  std::string fault;        ///< of kUnreadable: why
};

/// Names all that is in a folder and below it, folder by folder, in byte order of the names. Links
/// are never followed, but for one that is the folder's own path. What is nested in more than 256
/// folders is unreadable. Memory is that of the names of one folder of each level. For one thread.
///
///     FolderWalk walk("letters");
///     while (const auto entry = walk.next())
///       if (entry->kind == FolderEntry::Kind::kFile) read(OpenFile(walk.open_file()));
class FolderWalk {
 public:
  /// @throws Error kNotFound if the folder cannot be read.
  explicit FolderWalk(const std::string& folder);
  ~FolderWalk();
  FolderWalk(const FolderWalk&) = delete;
  FolderWalk& operator=(const FolderWalk&) = delete;

  /// The next entry; nothing at the end. Folders that can be read are none.
  std::optional<FolderEntry> next();

  /// Opens the latest entry, a file, for reading. The caller closes it. -1 with errno if that
  /// fails, as where a link has taken its place.
  int open_file() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kindred
