#pragma once

#include <sys/stat.h>
#include <sys/types.h>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "config/api.h"
#include "config/regular_file.h"

namespace kindred {

/// The users of whom one must own a file.
struct Owners {
  std::vector<uid_t> users;  ///< at least one; a new file is given to the first
  std::string whose;         ///< for messages, such as "the owner of the index"
};

class GuardedFile;

/// A folder that is open. What is done in it goes by its descriptor, so that nobody can put another
/// folder in its place meanwhile. Copies share the descriptor. For any thread.
class KINDRED_API GuardedFolder {
 public:
  /// The folder at a path, which links may lead to. If it cannot be opened, there are no files in
  /// it, and whatever opens or makes one says why.
  explicit GuardedFolder(const std::string& path);

  /// The folder of this place and name, which is there itself: no link leads to it, and one of the
  /// owners owns it. With `make` it is made if nothing is there.
  /// @throws Error that names it: kNotFound if it is not there or cannot be opened; kDatabase if it
  /// cannot be made; kInvalidArgument if it is a link or a file, or belongs to somebody else.
  GuardedFolder(const GuardedFile& there, bool make);

  const std::string& path() const { return path_; }  ///< as it was given, for messages
  int descriptor() const { return *folder_; }        ///< -1 if it could not be opened
  std::error_code fault() const { return fault_; }   ///< why it could not be opened
  std::optional<uid_t> owner() const;                ///< none if it could not be opened
  std::vector<std::string> names() const;            ///< of all that is in it, in any order
  void sync() const;                                 ///< puts renamings and removals on disk

 private:
  std::string path_;
  std::error_code fault_;
  std::shared_ptr<const OpenFile> folder_;
};

/// A file that Kindred reads, writes or deletes, and that somebody else may have put there. It is
/// reached by its open folder and its name, and is never taken for what it is not: it must be a
/// regular file, no link, and belong to one of `owners`. For any thread.
///
///     const GuardedFile file(path, owners);
///     std::error_code fault;
///     if (file.exists()) file.remove(fault);
class KINDRED_API GuardedFile {
 public:
  GuardedFile(const std::string& path, Owners owners);
  /// `name` has no slash.
  GuardedFile(GuardedFolder folder, const std::string& name, Owners owners);

  const std::string& path() const { return path_; }
  const std::string& name() const { return name_; }
  const GuardedFolder& folder() const { return folder_; }
  const Owners& owners() const { return owners_; }

  /// What is there, of whatever kind and owner, a link itself; none if nothing is.
  std::optional<struct stat> status() const;
  bool exists() const { return status().has_value(); }

  /// As file_stamp() of the path, but of a link itself.
  std::string stamp() const;

  /// Opens the file with these flags of open(), and O_CREAT or not. Never waits.
  /// @throws Error kNotFound if it cannot be opened; else as check().
  int open(int flags) const;

  /// @throws Error kInvalidArgument if something is there that is no regular file, or that belongs
  /// to somebody else. The message has the path, what was found, and what was expected.
  void check() const;

  /// Removes the file; false if nothing is there. `fault` is set if the system refuses.
  /// @throws Error as check().
  bool remove(std::error_code& fault) const;

  /// Gives a new file to the first of the owners. Where this process may not do that, one that
  /// belongs to another of the owners stays as it is.
  /// @throws Error kInvalidArgument if it belongs to none of them.
  void give_away(int new_file) const;

 private:
  void check(const struct stat& status) const;

  GuardedFolder folder_;
  std::string name_;
  std::string path_;
  Owners owners_;
};

/// The whole content of such a file; otherwise as read_regular_file() of a path.
/// @throws as that, and as GuardedFile::check().
FileContent read_regular_file(const GuardedFile& file, const std::string& what,
                              std::size_t max_bytes);

/// The user whose files this thread makes, as setfsuid() and seteuid() say.
KINDRED_API uid_t file_user();

/// The owners of a file that a user names, to be written: the user of this process, or the owner of
/// its folder. Somebody else's file in a folder for all, such as /tmp, is none of ours.
KINDRED_API Owners owners_of_named_file(const std::string& path);

}  // namespace kindred
