#include "plugin/store/kept_files.h"

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "analyzer/text/utf8.h"
#include "config/replacement.h"
#include "plugin/store/database.h"
#include "plugin/store/database_reader.h"
#include "plugin/store/writable_database.h"

namespace kindred {
namespace {

using nlohmann::json;

const std::string kInside = "kindred.";  // begins the names of files in the folder of a database

constexpr const char* kKept = "kindred.files";  // in the metadata of the database

std::vector<std::string> strings_of(const json& stored, const char* key) {
  std::vector<std::string> strings;
  if (!stored.is_object() || !stored.contains(key) || !stored[key].is_array()) return strings;
  for (const json& item : stored[key]) {
    if (item.is_string()) strings.push_back(item.get<std::string>());
  }
  return strings;
}

/// The folder of a file at this path.
std::string folder_of(const std::filesystem::path& path) {
  if (path.has_parent_path()) return path.parent_path().string();
  return ".";
}

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// What the metadata are to be once there is a file of this name, or none any more.
std::string changed_text(const Xapian::Database& database, const std::string& name, bool kept) {
  KeptFiles files = kept_files(database);
  if (!kept) std::erase(files.names, name);
  if (kept && !contains(files.names, name)) files.names.push_back(name);

  // Names may be bytes of any kind, and JSON has only UTF-8.
  const json stored = {{"uuids", files.uuids}, {"names", files.names}};
  return stored.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string index_file_path(const std::string& database, const std::string& name) {
  check_path(database, "a database");

  std::error_code ignored;
  if (std::filesystem::is_directory(database, ignored))
    return (std::filesystem::path(database) / (kInside + name)).string();
  return database + ".kindred-" + name;
}

bool can_write_beside(const std::string& database) {
  const std::filesystem::path path = index_file_path(database, "tuning");
  const std::string folder = folder_of(path);
  const bool is_owner = file_user() == index_owners(path).users.front();
  return is_owner && ::access(folder.c_str(), W_OK) == 0;
}

Owners index_owners(const std::string& path) {
  constexpr const char* kWhose = "the owner of the index";
  struct stat found {};

  // Beside a database that is a file, as a stub or a ZIM file is.
  const std::size_t end = path.rfind(".kindred-");
  if (end != std::string::npos && ::stat(path.substr(0, end).c_str(), &found) == 0)
    return {{found.st_uid}, kWhose};

  // Inside of a database, or in a folder that the settings name.
  const std::filesystem::path whole = path;
  const std::string folder = folder_of(whole);
  const bool is_there = ::stat(folder.c_str(), &found) == 0;
  const uid_t owner = is_there ? found.st_uid : file_user();
  if (whole.filename().string().starts_with(kInside)) return {{owner}, kWhose};
  return {{owner, file_user()}, "the owner of its folder"};
}

GuardedFile index_file(const std::string& path) { return {path, index_owners(path)}; }

std::error_code replace_index_file(const std::string& path, std::string_view bytes) {
  Replacement replacement(index_file(path));

  std::error_code fault = replacement.fault();
  if (!fault) fault = write_at(replacement.descriptor(), 0, bytes);
  if (!fault && ::fsync(replacement.descriptor()) != 0) fault = last_fault();
  if (fault) return fault;
  return replacement.place();
}

std::error_code write_at(int file, std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno != EINTR) return last_fault();
    if (written <= 0) continue;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

bool remove_index_file(const std::string& path, std::error_code& fault) {
  const GuardedFile file = index_file(path);
  const bool removed = file.remove(fault);
  if (removed) file.folder().sync();
  return removed;
}

std::string file_location(const std::string& database, const std::string& directory) {
  if (directory.empty() || database.empty()) return database;

  // However the path is written, the files of a database have one name. The checksum tells
  // databases apart whose folders have the same name.
  std::error_code ignored;
  std::filesystem::path whole = std::filesystem::weakly_canonical(database, ignored);
  if (ignored || whole.empty()) whole = database;
  if (!whole.has_filename()) whole = whole.parent_path();

  std::string name = whole.filename().string() + "-" + checksum_text(whole.string());
  std::ranges::replace(name, '*', '_');  // of a pattern
  return (std::filesystem::path(directory) / name).string();
}

bool KeptFiles::has_uuid(const std::string& uuid) const { return contains(uuids, uuid); }

KeptFiles kept_files(const Xapian::Database& database) {
  const json stored = json::parse(metadata_of(database, kKept), nullptr, false);

  KeptFiles kept{strings_of(stored, "uuids"), strings_of(stored, "names")};
  const std::string uuid = database.get_uuid();
  if (!kept.has_uuid(uuid)) kept.uuids.push_back(uuid);
  return kept;
}

std::vector<std::string> lost_files(const KeptFiles& kept, const std::string& location) {
  constexpr std::array<std::array<const char*, 3>, 3> kFiles = {
      {{"tuning", "was tuned", "kindred tune"},
       {"som", "had a map", "kindred topics train"},
       {"vocabulary", "had names for its labels", "kindred vocabulary load"}}};

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
    const KeptFiles kept = reader.read(database, [](const Xapian::Database& opened) {
      return kept_files(opened);
    });
    return lost_files(kept, file_location(database, directory));
  } catch (const Error&) {
    return {};
  }
}

bool remember_file(const std::string& path, const std::string& name, bool kept) {
  try {
    // Most often the metadata say so already. Then nobody needs to wait for the write lock.
    const Xapian::Database opened = open_database(path);
    if (!kept && !contains(kept_files(opened).names, name)) return true;
    if (changed_text(opened, name, kept) == metadata_of(opened, kKept)) return true;

    // Another writer may have changed them meanwhile, so they are made anew under the lock.
    Xapian::WritableDatabase database = open_writable_database(path, WriteSettings());
    database.set_metadata(kKept, changed_text(database, name, kept));
    database.commit();
    return true;
  } catch (const Xapian::Error&) {
  } catch (const Error&) {
  }
  return false;
}

void remember_file(Xapian::WritableDatabase& database, const std::string& name) {
  const std::string text = changed_text(database, name, true);
  if (text != metadata_of(database, kKept)) database.set_metadata(kKept, text);
}

}  // namespace kindred
