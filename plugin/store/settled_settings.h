#pragma once

#include <xapian.h>
#include <string>

#include "config/api.h"
#include "config/settings.h"
#include "plugin/store/database_reader.h"

namespace kindred {

/// The settings that hold for a database: those of the user; below them, those that the index
/// remembers (plugin/store/remembered.h); below them, those of its profile; below them, for an
/// index that remembers nothing, the language of its stems. index.profile is then the name of the
/// profile, or "none", and `given` has what the user has set. Settled settings stay as they are. A
/// profile that was detected is left out if it contradicts what is above it. `path`
/// is that of the database, "" for one that the caller opened.
/// @throws Error kInvalidArgument (settings; a file or text of the user says something else than
/// the index remembers, or its texts were analyzed in another way; files and dictionaries of the
/// analysis, as analysis_record()); as DatabaseReader::read(), except that a damaged
/// database has no profile.
Settings settled_settings(DatabaseReader& database, const std::string& path,
                          const Settings& settings);

/// The same for the database at a path. If there is none, it has no profile.
KINDRED_API Settings settled_settings(const std::string& path, const Settings& settings);

/// The name of the profile (config/profiles.h) of the program that made the index, as far as the
/// index tells; else "none". Reads some metadata and a few documents.
/// @throws Error kCorrupt; Xapian::Error.
std::string detected_profile(const Xapian::Database& database);

}  // namespace kindred
