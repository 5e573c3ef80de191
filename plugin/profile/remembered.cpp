#include "plugin/profile/remembered.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "config/error.h"
#include "config/regular_file.h"
#include "plugin/profile/recorded_analysis.h"
#include "plugin/store/database.h"
#include "plugin/store/index_file.h"
#include "plugin/store/kept_files.h"

namespace kindred {
namespace {

constexpr const char* kRemembered = "kindred.settings";  // in the metadata of the database
constexpr const char* kFile = "settings";
constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

/// "" for a kind of database without metadata.
std::string remembered_text(const Xapian::Database& database) {
  try {
    return database.get_metadata(kRemembered);
  } catch (const Xapian::UnimplementedError&) {
    return "";
  }
}

/// Settings as settings_toml() writes them, with numbers as TOML has them.
std::string with_plain_numbers(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t equals = line.find(" = ");
    const std::string_view key =
        equals == std::string_view::npos ? line : line.substr(0, equals + 3);
    const std::string_view value = line.substr(key.size());
    plain.append(key).append(plain_number(value)).append("\n");
  }
  return plain;
}

std::vector<std::string> given_shaping(const Settings& settings) {
  std::vector<std::string> keys;
  for (const std::string& key : settings.given) {
    if (shapes_index(key)) keys.push_back(key);
  }
  return keys;
}

}  // namespace

RememberedSettings remembered_settings(const Xapian::Database& database,
                                       const std::string& location) {
  const std::string text = remembered_text(database);
  if (!text.empty())
    return {"metadata",
            parse_settings(with_plain_numbers(text), "the settings in the index's metadata")};
  if (location.empty()) return {};
  const std::string path = index_file_path(location, kFile);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  const FileContent file = read_regular_file(path, "the settings of an index", kMaxBytes);
  return {path, parse_settings(with_plain_numbers(file.bytes), path)};
}

void check_remembered(const Settings& settings, const RememberedSettings& remembered) {
  for (const std::string& key : given_shaping(settings)) {
    const auto& known = remembered.settings.given;
    if (std::find(known.begin(), known.end(), key) == known.end()) continue;
    const std::string wanted = setting_text(settings, key);
    const std::string there = setting_text(remembered.settings, key);
    if (wanted == there) continue;
    throw Error(Errc::kInvalidArgument,
                key + ": expected " + there + ", as the index remembers (" + remembered.source +
                    "), got " + wanted +
                    "; 'kindred settings --remember' or --forget changes what it remembers");
  }
}

bool remember_at_birth(Xapian::WritableDatabase& database, const Settings& settings) {
  const bool is_new = database.get_lastdocid() == 0 && settings.index.profile == "none";
  if (!is_new) return false;
  if (remembered_text(database).empty()) {
    database.set_metadata(kRemembered, shaping_settings_toml(settings));
    record_analysis(database, analysis_record(settings));
  }
  return true;
}

bool remember_given(const Settings& settings, const std::string& location) {
  if (location.empty() || !settings.remembered.empty()) return true;
  const std::vector<std::string> keys = given_shaping(settings);
  if (keys.empty()) return true;
  return !replace_index_file(index_file_path(location, kFile), settings_toml(settings, keys));
}

std::string remember_settings(const std::string& path, const Settings& settings) {
  check_settings(settings);
  const std::string location = file_location(path, settings.index.directory);
  const RememberedSettings now = remembered_settings(open_database(path), location);
  const Settings changed = overlaid(settings, now.settings);
  std::vector<std::string> keys;
  for (const std::string& key : keys_set(changed)) {
    if (shapes_index(key)) keys.push_back(key);
  }
  const std::string text = settings_toml(changed, keys);
  if (now.source == "metadata") {
    check_may_write(path, settings.index);
    Xapian::WritableDatabase database = open_writable_database(path, settings.write);
    database.set_metadata(kRemembered, text);
    record_analysis(database, analysis_record(changed));
    database.commit();
    return now.source;
  }
  const std::string file = index_file_path(location, kFile);
  const std::error_code fault = replace_index_file(file, text);
  if (fault) throw Error(Errc::kDatabase, file + ": cannot be written: " + fault.message());
  return file;
}

Forgotten forget_settings(const std::string& path, const Settings& settings) {
  const std::string location = file_location(path, settings.index.directory);
  const std::string file = index_file_path(location, kFile);
  std::error_code fault;
  const bool removed = remove_index_file(file, fault);
  if (fault) throw Error(Errc::kDatabase, file + ": cannot be removed: " + fault.message());
  if (remembered_text(open_database(path)).empty()) return {removed, false};
  Xapian::WritableDatabase database = open_writable_database(path, settings.write);
  const bool is_recorded = recorded_analysis(database).has_value();
  database.set_metadata(kRemembered, "");
  forget_analysis(database);
  database.commit();
  return {true, is_recorded};
}

}  // namespace kindred
