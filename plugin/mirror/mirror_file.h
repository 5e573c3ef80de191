#pragma once

#include <cstddef>
#include <string>

#include "config/settings.h"
#include "plugin/mirror/mirror.h"
#include "plugin/store/database_walk.h"

namespace kindred {

/// A mirror on disk, and what it needs to follow the database from then on: `state` is that of its
/// revision or of an earlier one.
struct SavedMirror {
  Mirror mirror;
  DatabaseState state;
};

/// Where the mirror of a database is saved: beside it (index_file_path()), or in the folder that
/// the settings name, under the UUID of its first shard.
std::string saved_mirror_path(const std::string& database, const std::string& uuid,
                              const MirrorSettings& settings);

/// Writes a mirror that was made with these settings. Works on up to `threads` threads.
/// @throws Error as SectionWriter::write().
void save_mirror(const Mirror& mirror, const DatabaseState& state, const Settings& settings,
                 const std::string& path, std::size_t threads);

/// Reads it back. Nothing is taken as it is: every piece has a checksum, and the parts must fit
/// together. Works on up to `threads` threads.
/// @throws Error kNotFound if there is none or it cannot be read; kCorrupt if it is damaged;
/// kInvalidArgument if it was made with other settings.
SavedMirror load_mirror(const std::string& path, const Settings& settings, std::size_t threads);

}  // namespace kindred
