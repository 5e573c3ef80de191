#include "plugin/store/shard_addresses.h"

#include <glob.h>
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <tuple>

#include "config/error.h"
#include "config/regular_file.h"
#include "plugin/store/glass_file.h"
#include "plugin/store/zim_file.h"

namespace kindred {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestStub = 1 << 20;
constexpr std::size_t kMostDatabases = 10'000;  // shards of one

/// The stub at a path: the file itself, or XAPIANDB in a folder. Nothing if there is none.
std::optional<fs::path> stub_at(const std::string& path) {
  std::error_code none;
  if (fs::is_regular_file(path, none)) return path;
  const fs::path inside = fs::path(path) / "XAPIANDB";
  if (fs::is_regular_file(inside, none)) return inside;
  return std::nullopt;
}

/// True also for a stub in a folder.
bool is_database_folder(const fs::path& path) {
  std::error_code none;
  return has_glass(path) || fs::exists(path / "XAPIANDB", none);
}

/// The databases in a folder, but for those that are being made: hidden ones and, of Cyrus, those
/// whose names end with .NEW. The last numbers of their names are in the order of numbers. Where
/// some have a number as their name, only these count: public-inbox keeps another index beside.
std::vector<std::string> databases_in(const fs::path& folder) {
  std::vector<std::string> found;
  std::error_code ended;
  for (fs::directory_iterator each(folder, ended); !ended && each != fs::directory_iterator();
       each.increment(ended)) {
    const std::string name = each->path().filename().string();
    const bool is_unfinished = name.starts_with('.') || name.ends_with(".NEW");
    if (!is_unfinished && has_glass(each->path())) found.push_back(each->path().string());
  }

  const auto is_named = [](const std::string& path) {
    return fs::path(path).filename().string().find_first_not_of("0123456789") != std::string::npos;
  };
  if (!std::ranges::all_of(found, is_named)) std::erase_if(found, is_named);

  const auto order = [](const std::string& path) {
    const std::size_t begin = path.find_last_not_of("0123456789") + 1;
    return std::tuple(path.substr(0, begin), path.size() - begin, path);
  };
  std::ranges::sort(found, {}, order);
  return found;
}

/// The paths that a pattern matches, sorted. A star at the place of a dot matches the folder around
/// it, too, which is not meant.
std::vector<std::string> matches_of(const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t found{};
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) {
      const std::string path = found.gl_pathv[i];
      if (path.find("/../") == std::string::npos || pattern.find("/../") != std::string::npos)
        paths.push_back(path);
    }
  ::globfree(&found);
  return paths;
}

/// "HOST:PORT". Nothing for what else Xapian knows: programs, and addresses with colons.
std::optional<ShardAddress> server_at(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos) return std::nullopt;

  ShardAddress address;
  address.host = text.substr(0, colon);
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data() + colon + 1, end, address.port);
  if (fault != std::errc() || rest != end) return std::nullopt;
  return address;
}

std::optional<ShardAddress> address_in(const std::string& line, const fs::path& stub) {
  const std::size_t space = line.find(' ');
  if (space == std::string::npos) return std::nullopt;

  const std::string type = line.substr(0, space);
  const std::string where = line.substr(space + 1);
  if (type == "remote") return server_at(where);
  // Xapian knows more types, of formats that are not known here.
  if (type != "auto" && type != "glass") return std::nullopt;

  ShardAddress address;
  address.folder = (stub.parent_path() / where).string();
  return address;
}

/// What a stub lists, as Xapian reads it: lines of a type and a path, which is relative to the
/// stub. Nothing if it lists something else. @throws Error if it cannot be read.
std::optional<std::vector<ShardAddress>> addresses_in(const fs::path& stub) {
  std::vector<ShardAddress> addresses;
  const FileContent file = read_regular_file(stub.string(), "the stub", kLargestStub);

  std::size_t at = 0;
  while (at < file.bytes.size()) {
    const std::size_t end = std::min(file.bytes.find('\n', at), file.bytes.size());
    const std::string line = file.bytes.substr(at, end - at);
    at = end + 1;
    // As Xapian does.
    if (line.empty() || line.front() == '#') continue;

    const auto address = address_in(line, stub);
    if (!address) return std::nullopt;
    addresses.push_back(*address);
  }

  if (addresses.empty()) return std::nullopt;
  return addresses;
}

/// Follows the stubs that Xapian is about to follow, whose own stack has no bound. `listed`: the
/// databases so far.
/// @throws Error kCorrupt for stubs in stubs without end, or for too many databases;
/// kInvalidArgument for a file that is too large to be a stub; kNotFound if it cannot be read.
void follow_stubs(const std::string& path, int level, std::size_t& listed) {
  constexpr int kMostNested = 8;
  constexpr std::string_view kAuto = "auto ";

  const auto stub = stub_at(path);
  if (!stub || is_single_file(stub->string()) || is_zim(stub->string())) return;
  if (level > kMostNested)
    throw Error(Errc::kCorrupt, stub->string() + ": expected stubs in at most " +
                                    std::to_string(kMostNested) +
                                    " stubs, found more; perhaps they list each other");

  const std::string lines = read_regular_file(stub->string(), "the stub", kLargestStub).bytes;
  std::size_t at = 0;
  while (at < lines.size()) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    const std::string_view line = std::string_view(lines).substr(at, end - at);
    at = end + 1;
    if (line.empty() || line.front() == '#') continue;

    ++listed;
    if (listed > kMostDatabases)
      throw Error(Errc::kCorrupt, stub->string() + ": expected stubs of at most " +
                                      std::to_string(kMostDatabases) + " databases in all");

    // Only of this type may be another stub.
    if (!line.starts_with(kAuto)) continue;
    follow_stubs((stub->parent_path() / line.substr(kAuto.size())).string(), level + 1, listed);
  }
}

}  // namespace

std::string database_below(const std::string& folder) {
  constexpr std::string_view kPlaces[] = {".kindred", ".notmuch/xapian", "xapian", "xapiandb"};
  for (const std::string_view place : kPlaces) {
    const fs::path path = fs::path(folder) / place;
    std::error_code none;
    if (has_glass(path) && !fs::exists(path / "cyrus.indexed.db", none)) return path.string();
  }
  return "";
}

std::vector<std::string> found_databases(const std::string& path) {
  std::vector<std::string> folders = {path};
  if (is_pattern(path)) folders = matches_of(path);

  std::vector<std::string> databases;
  for (const std::string& folder : folders) {
    if (has_glass(folder)) {
      databases.push_back(folder);
      continue;
    }

    std::vector<std::string> inside = databases_in(folder);
    for (const char* name : {"xap15", "ei15"})
      if (inside.empty()) inside = databases_in(fs::path(folder) / name);
    databases.insert(databases.end(), inside.begin(), inside.end());
  }

  if (databases.size() > kMostDatabases)
    throw Error(Errc::kCorrupt, path + ": expected at most " + std::to_string(kMostDatabases) +
                                    " databases, found " + std::to_string(databases.size()));
  return databases;
}

bool is_pattern(const std::string& path) {
  std::error_code none;
  return path.find('*') != std::string::npos && !fs::exists(path, none);
}

bool are_found(const std::string& path) {
  std::error_code none;
  if (is_pattern(path)) return !found_databases(path).empty();
  const bool is_one = is_database_folder(path) || !database_below(path).empty();
  return fs::is_directory(path, none) && !is_one && !found_databases(path).empty();
}

std::optional<std::vector<ShardAddress>> shard_addresses(const std::string& path,
                                                         std::string& why) {
  if (are_found(path)) {
    std::vector<ShardAddress> found;
    for (const std::string& folder : found_databases(path)) found.push_back({folder, "", 0});
    return found;
  }

  const auto stub = stub_at(path);
  if (!stub) return std::vector<ShardAddress>{{path, "", 0}};

  why = "it is neither a folder nor a stub that lists folders";
  try {
    return addresses_in(*stub);
  } catch (const Error& e) {
    why = e.what();
  }
  return std::nullopt;
}

void check_stubs(const std::string& path) {
  std::size_t listed = 0;
  follow_stubs(path, 1, listed);
}

}  // namespace kindred
