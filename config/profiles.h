#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/api.h"
#include "config/settings.h"

namespace kindred {

/// What the indexes of another program look like: settings that lie below the user's own.
struct Profile {
  std::string_view name;      ///< for the setting index.profile
  std::string_view settings;  ///< TOML; comments say where each fact comes from
  /// Prefixes under which the program's indexes may have ids, of one letter each. The first one
  /// that an index has terms of is its index.id_prefix. "": `settings` say it.
  std::string_view id_prefixes;
};

/// All profiles.
KINDRED_API std::span<const Profile> profiles();

/// The profile of this name; null if there is none.
KINDRED_API const Profile* find_profile(std::string_view name);

/// "notmuch, omega, ...".
KINDRED_API std::string listed_profiles();

}  // namespace kindred
