#include "plugin/store/kept_files.h"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "plugin/store/database.h"
#include "plugin/store/database_reader.h"

namespace kindred {
namespace {

std::error_code last_fault() { return {errno, std::generic_category()}; }

/// Writes a file and syncs it to disk.
std::error_code write_whole(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return last_fault();
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(file) == 0 ? std::error_code() : last_fault();
}

/// Syncs the folder of a file, so that its renaming or removal is on disk.
void sync_folder_of(const std::filesystem::path& path) {
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

using nlohmann::json;

constexpr const char* kKept = "kindred.files";  // in the metadata of the database

std::vector<std::string> strings_of(const json& stored, const char* key) {
  std::vector<std::string> strings;
  if (!stored.is_object() || !stored.contains(key) || !stored[key].is_array()) return strings;
  for (const json& item : stored[key]) {
    if (item.is_string()) strings.push_back(item.get<std::string>());
  }
  return strings;
}

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

KeptFiles known_files(const Xapian::Database& database) {
  const json stored = json::parse(metadata_of(database, kKept), nullptr, false);
  return {strings_of(stored, "uuids"), strings_of(stored, "names")};
}

/// What the metadata are to be once there is a file of this name, or none any more.
std::string changed_text(const Xapian::Database& database, const std::string& name, bool kept) {
  KeptFiles files = kept_files(database);
  if (!kept) std::erase(files.names, name);
  if (kept && !contains(files.names, name)) files.names.push_back(name);
  const json stored = {{"uuids", files.uuids}, {"names", files.names}};
  return stored.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string index_file_path(const std::string& database, const std::string& name) {
  check_path(database, "a database");
  std::error_code ignored;
  if (std::filesystem::is_directory(database, ignored))
    return (std::filesystem::path(database) / ("kindred." + name)).string();
  return database + ".kindred-" + name;
}

bool can_write_beside(const std::string& database) {
  const std::filesystem::path path = index_file_path(database, "tuning");
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  return ::access(folder.c_str(), W_OK) == 0;
}

std::error_code replace_index_file(const std::string& path, std::string_view bytes) {
  Replacement replacement(path);
  std::error_code fault = replacement.fault();
  if (!fault) fault = write_whole(replacement.descriptor(), bytes);
  return fault ? fault : place_index_file(replacement, path);
}

std::error_code place_index_file(Replacement& written, const std::string& path) {
  const std::error_code fault = written.place();
  if (!fault) sync_folder_of(path);
  return fault;
}

bool remove_index_file(const std::string& path, std::error_code& fault) {
  const bool removed = std::filesystem::remove(path, fault);
  if (removed) sync_folder_of(path);
  return removed;
}

std::string file_location(const std::string& database, const std::string& directory) {
  if (directory.empty() || database.empty()) return database;
  std::error_code ignored;
  std::filesystem::path whole = std::filesystem::weakly_canonical(database, ignored);
  if (ignored || whole.empty()) whole = database;
  if (!whole.has_filename()) whole = whole.parent_path();
  const std::string text = whole.string();
  std::array<char, 17> hash{};
  std::snprintf(hash.data(), hash.size(), "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
  return (std::filesystem::path(directory) / (whole.filename().string() + "-" + hash.data()))
      .string();
}

bool KeptFiles::has_uuid(const std::string& uuid) const { return contains(uuids, uuid); }

KeptFiles kept_files(const Xapian::Database& database) {
  KeptFiles kept = known_files(database);
  const std::string uuid = database.get_uuid();
  if (!kept.has_uuid(uuid)) kept.uuids.push_back(uuid);
  return kept;
}

std::vector<std::string> lost_files(const KeptFiles& kept, const std::string& location) {
  constexpr std::array<std::array<const char*, 3>, 2> kFiles = {
      {{"tuning", "was tuned", "kindred tune"}, {"som", "had a map", "kindred topics train"}}};
  std::vector<std::string> lost;
  for (const auto& [name, what, command] : kFiles) {
    const std::string file = index_file_path(location, name);
    std::error_code ignored;
    if (!contains(kept.names, name) || std::filesystem::exists(file, ignored)) continue;
    lost.push_back(file + ": expected this file, since the index " + what + "; '" + command +
                   "' makes it again, and index.directory keeps it where compacting the index does "
                   "not lose it");
  }
  return lost;
}

std::vector<std::string> lost_files_of(const std::string& database, const std::string& directory) {
  try {
    DatabaseReader reader(database);
    const KeptFiles kept =
        reader.read(database, [](const Xapian::Database& opened) { return kept_files(opened); });
    return lost_files(kept, file_location(database, directory));
  } catch (const Error&) {
    return {};
  }
}

bool remember_file(const std::string& path, const std::string& name, bool kept) {
  try {
    const Xapian::Database opened = open_database(path);
    if (!kept && !contains(kept_files(opened).names, name)) return true;
    if (changed_text(opened, name, kept) == metadata_of(opened, kKept)) return true;
    Xapian::WritableDatabase database = open_writable_database(path, WriteSettings());
    database.set_metadata(kKept, changed_text(database, name, kept));
    database.commit();
    return true;
  } catch (const Xapian::Error&) {
  } catch (const Error&) {
  }
  return false;
}

}  // namespace kindred
