#pragma once

#include <sys/stat.h>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "plugin/input/record.h"
#include "plugin/readers/folder/file_kind.h"

namespace kindred {

// Further keys of the records of a folder. By the last three a later run knows what has changed.
inline constexpr const char* kFolderKey = "folder";      ///< its whole path
inline constexpr const char* kFileKey = "file";          ///< the path in the folder
inline constexpr const char* kModifiedKey = "modified";  ///< when the file was, in UTC
inline constexpr const char* kSizeKey = "size";          ///< of the file, in bytes

/// The filters that are installed. For one thread.
class InstalledFilters {
 public:
  /// The path of its program; "" if that is not installed.
  const std::string& path_of(const Filter& filter);

 private:
  std::map<std::string, std::string> paths_;
};

/// Reads the records of a file: one, or those of a mailbox one by one. For one thread.
///
/// The id is the path; of a message in a mailbox it has "#" and the Message-ID behind it, or the
/// number where there is none. A long one is cut, and ends in a digest. The title is that of the
/// document, else the name of the file without its end; of a mail the subject. Mails have the
/// further keys `from` and `date`.
///
/// The last record of a file has kModifiedKey and kSizeKey, so an index that has it has all of
/// them. They are left out if the file changed while it was read, or less than two seconds before:
/// another change could then leave both as they are.
class FolderFile {
 public:
  /// Takes the open file over, and closes it. `path` is that in the folder. `filters` is borrowed.
  /// @throws Error kNotFound if it is no regular file any more.
  FolderFile(int file, std::string path, InstalledFilters& filters);
  ~FolderFile();
  FolderFile(const FolderFile&) = delete;
  FolderFile& operator=(const FolderFile&) = delete;

  /// The path by which the index knows the file: without the flags that a Maildir writes behind it.
  const std::string& path() const;

  // The values of kModifiedKey and kSizeKey.
  std::string modified() const;
  std::string size() const;

  const FileKind& kind() const;

  /// True if it can be read: its kind is known, and the filter installed if it needs one.
  bool is_readable() const;

  /// How much of a mailbox was read, in bytes; of other files 0.
  std::uint64_t read_bytes() const;

  /// The next record; nothing at the end. Blocks.
  /// @throws Error kCorrupt, kInvalidArgument or kNotFound, without the path, if the file is
  /// damaged, too long or cannot be read; kUnsupported as run_filter().
  std::optional<Record> next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kindred
