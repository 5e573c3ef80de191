#pragma once

#include <xapian.h>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "config/api.h"
#include "config/guarded_file.h"

namespace kindred {

/// Where Kindred keeps a file about a database, for instance with the name "tuning": kindred.NAME
/// in its directory. If the database is not a directory, PATH.kindred-NAME beside it.
KINDRED_API std::string index_file_path(const std::string& database, const std::string& name);

/// True if this process may write files about the database: as its owner, by permission, not by
/// space.
KINDRED_API bool can_write_beside(const std::string& database);

/// Whose a file or folder is at a path that index_file_path() gave: the owner's of the database. In
/// another folder, as index.directory names it: the owner's of that folder, or this process's.
Owners index_owners(const std::string& path);

/// The file at such a path.
KINDRED_API GuardedFile index_file(const std::string& path);

/// Replaces a file by `bytes`. They are written to a new file (see Replacement), which is synced to
/// disk and renamed, so that a reader finds either the old file or the new one. If several write at
/// once, the last one wins. Returns what failed, if anything did; the old file is then unchanged.
/// @throws Error kInvalidArgument as GuardedFile::check() and give_away().
std::error_code replace_index_file(const std::string& path, std::string_view bytes);

/// Writes bytes from an offset of a file on. Returns what failed, if anything did.
std::error_code write_at(int file, std::uint64_t offset, std::string_view bytes);

/// Removes a file; true if there was one. `fault` is set if that failed.
/// @throws Error kInvalidArgument as GuardedFile::check().
bool remove_index_file(const std::string& path, std::error_code& fault);

// Programs that compact an index copy its documents and metadata into another folder, under another
// uuid, and leave Kindred's files behind. So the metadata of the index remember which files there
// were, and under which uuids they were made.

/// What to give to index_file_path() so that files about a database lie in `directory`, under a
/// name made of the path of the database; the database itself if `directory` is "".
KINDRED_API std::string file_location(const std::string& database, const std::string& directory);

/// What the metadata of an index remember of Kindred's files.
struct KeptFiles {
  std::vector<std::string> uuids;  ///< of the index, when they were made, and the one that it has
  std::vector<std::string> names;  ///< as for index_file_path()

  bool has_uuid(const std::string& uuid) const;
};

/// @throws Xapian::Error.
KeptFiles kept_files(const Xapian::Database& database);

/// A sentence for each file that an index had and that is not at `location` any more.
std::vector<std::string> lost_files(const KeptFiles& kept, const std::string& location);

/// The same for the database at a path, whose files are in `directory` ("": beside it). None if it
/// cannot be read.
KINDRED_API std::vector<std::string> lost_files_of(const std::string& database,
                                                   const std::string& directory);

/// Remembers that the index has a file of this name, or (`kept` false) that it has none any more.
/// Takes the write lock for a moment. False if the index cannot be written now; then nothing has
/// changed.
KINDRED_API bool remember_file(const std::string& database, const std::string& name, bool kept);

/// The same that it has one, for whoever has the lock, and commits.
void remember_file(Xapian::WritableDatabase& database, const std::string& name);

}  // namespace kindred
