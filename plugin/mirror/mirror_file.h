#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "config/api.h"
#include "config/settings.h"
#include "plugin/mirror/mirror.h"
#include "plugin/store/database_walk.h"

namespace kindred {

/// A mirror on disk, and what it needs to follow the database from then on: `state` is that of its
/// revision or of an earlier one, and `proof` of this state.
struct SavedMirror {
  Mirror mirror;
  DatabaseState state;
  DatabaseProof proof;
};

// A saved mirror is a folder:
// - a file for each segment, and for each 65,536 terms in the order of their numbers, named by its
//   contents (SectionWriter::write_named()), so that a save writes only what is new;
// - "list", which names these, and has what is of the mirror as a whole.

/// The folder where the mirror of a database is saved: beside it (index_file_path()), or in the
/// folder that the settings name, under the UUID of its first shard.
std::string saved_mirror_path(const std::string& database, const std::string& uuid,
                              const MirrorSettings& settings);

/// True if so many documents have changed since a mirror of `documents` was saved, that it pays to
/// save it again. Else whoever loads it reads the few that changed.
KINDRED_API bool pays_to_save(std::uint64_t changed, std::uint64_t documents);

/// Writes a mirror that was made with these settings, and removes files that its list does not
/// name. Waits for another save into this folder to end. Works on up to `threads` threads.
/// Only files of its own names are deleted. @throws Error as SectionWriter::write() and
/// GuardedFolder; what was saved is then as it was.
void save_mirror(const Mirror& mirror, const DatabaseState& state, const DatabaseProof& proof,
                 const Settings& settings, const std::string& path, std::size_t threads);

/// Reads it back, while others may save. Nothing is taken as it is: every chunk has a checksum, and
/// the parts must fit together. Works on up to `threads` threads.
/// @throws Error kNotFound if there is none or it cannot be read; kCorrupt if it is damaged;
/// kInvalidArgument if it was made with other settings, or as GuardedFile::check().
SavedMirror load_mirror(const std::string& path, const Settings& settings, std::size_t threads);

}  // namespace kindred
