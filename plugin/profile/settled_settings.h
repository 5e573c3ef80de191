#pragma once

#include <string>

#include "config/settings.h"
#include "plugin/store/database_reader.h"

namespace kindred {

/// The settings that hold for a database: those of the user and, below them, those of its profile.
/// index.profile is then the name of the profile, or "none". Settled settings stay as they are.
/// A profile that was detected is left out if it contradicts what the user has set. `name` of the
/// database is for messages.
/// @throws Error kInvalidArgument (settings); as DatabaseReader::read(), except that a damaged
/// database has no profile.
Settings settled_settings(DatabaseReader& database, const std::string& name,
                          const Settings& settings);

/// The same for the database at a path. If there is none, it has no profile.
Settings settled_settings(const std::string& path, const Settings& settings);

}  // namespace kindred
