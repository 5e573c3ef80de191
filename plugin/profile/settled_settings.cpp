#include "plugin/profile/settled_settings.h"

#include <xapian.h>

#include "config/error.h"
#include "config/profiles.h"
#include "plugin/profile/detection.h"
#include "plugin/store/posting_reader.h"

namespace kindred {
namespace {

Settings without_profile(Settings settings) {
  settings.index.profile = "none";
  return settings;
}

/// The settings of a profile, for this database.
Settings settings_of(const Profile& profile, const Xapian::Database& database) {
  Settings settings = parse_settings(profile.settings, "profile " + std::string(profile.name));
  for (const char prefix : profile.id_prefixes) {
    if (TermReader(database, {prefix}).at_end()) continue;
    settings.index.id_prefix = prefix;
    settings.given.emplace_back("index.id_prefix");
    break;
  }
  return settings;
}

Settings settle(const Xapian::Database& database, const Settings& settings) {
  const bool detect = settings.index.profile == "auto";
  const std::string name = detect ? detected_profile(database) : settings.index.profile;
  const Profile* profile = find_profile(name);
  if (profile == nullptr) return without_profile(settings);
  Settings settled = overlaid(settings, settings_of(*profile, database));
  settled.index.profile = name;
  try {
    check_settings(settled);
  } catch (const Error& e) {
    if (detect) return without_profile(settings);
    throw Error(e.code(), std::string(e.what()) + " with the profile " + name);
  }
  return settled;
}

}  // namespace

Settings settled_settings(DatabaseReader& database, const std::string& name,
                          const Settings& settings) {
  check_settings(settings);
  if (settings.index.profile == "none") return settings;
  try {
    return database.read(name + ": cannot find out whose index it is",
                         [&](const Xapian::Database& opened) { return settle(opened, settings); });
  } catch (const Error& e) {
    if (e.code() != Errc::kCorrupt) throw;
    return without_profile(settings);
  }
}

Settings settled_settings(const std::string& path, const Settings& settings) {
  check_settings(settings);
  try {
    DatabaseReader database(path);
    return settled_settings(database, path, settings);
  } catch (const Error& e) {
    if (e.code() != Errc::kNotFound) throw;
    return without_profile(settings);
  }
}

}  // namespace kindred
