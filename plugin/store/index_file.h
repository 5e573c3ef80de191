#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace kindred {

/// Where Kindred keeps a file about a database, as "tuning": kindred.NAME in its directory, or else
/// beside it, as PATH.kindred-NAME.
std::string index_file_path(const std::string& database, const std::string& name);

/// Puts `bytes` in the place of a file. They are written aside (see Replacement), brought to disk
/// and renamed, so that a reader finds the old file or the new one. If several write at once, the
/// last one's file stays. Returns what failed, if anything did; the old file is then as it was.
std::error_code replace_index_file(const std::string& path, std::string_view bytes);

/// Removes a file; true if there was one. `fault` is set if that failed.
bool remove_index_file(const std::string& path, std::error_code& fault);

}  // namespace kindred
