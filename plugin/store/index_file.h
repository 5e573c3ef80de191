#pragma once

#include <string>
#include <string_view>
#include <system_error>

#include "config/api.h"
#include "config/regular_file.h"

namespace kindred {

/// Where Kindred keeps a file about a database, for instance with the name "tuning": kindred.NAME
/// in its directory. If the database is not a directory, PATH.kindred-NAME beside it.
KINDRED_API std::string index_file_path(const std::string& database, const std::string& name);

/// True if files about the database can be written: by permission, not by space.
KINDRED_API bool can_write_beside(const std::string& database);

/// Replaces a file by `bytes`. They are written to a new file (see Replacement), which is synced to
/// disk and renamed, so that a reader finds either the old file or the new one. If several write at
/// once, the last one wins. Returns what failed, if anything did; the old file is then unchanged.
std::error_code replace_index_file(const std::string& path, std::string_view bytes);

/// Lets a file that was written and synced take its place, and syncs the folder. Returns what
/// failed, if anything did; the old file is then unchanged.
std::error_code place_index_file(Replacement& written, const std::string& path);

/// Removes a file; true if there was one. `fault` is set if that failed.
bool remove_index_file(const std::string& path, std::error_code& fault);

}  // namespace kindred
