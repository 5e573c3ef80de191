#include "plugin/store/database.h"

#include <glob.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <new>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <vector>

#include "config/regular_file.h"
#include "config/shown.h"
#include "config/user_name.h"
#include "plugin/store/readers.h"
#include "plugin/store/terms.h"
#include "plugin/store/zim.h"
#include "plugin/store/zim_file.h"

namespace kindred {
namespace {

namespace fs = std::filesystem;

/// Xapian reports a database that may not be read as missing. This tells the two apart.
/// @throws Error kNotFound if there is nothing, kDatabase if it may not be entered or read.
void check_access(const std::string& path) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  if (::access(path.c_str(), is_folder ? X_OK : R_OK) == 0) return;

  const std::error_code fault(errno, std::generic_category());
  if (fault == std::errc::no_such_file_or_directory || fault == std::errc::not_a_directory)
    throw Error(Errc::kNotFound, path + ": no such database");
  throw Error(Errc::kDatabase, path + ": cannot open the database: " + fault.message());
}

/// True for a glass database in a folder.
bool has_glass(const fs::path& path) {
  std::error_code none;
  return fs::exists(path / "iamglass", none);
}

/// Where programs keep the index of a folder that they were given: the one that is there, or "".
/// Not that of Cyrus, which has others beside xapian, such as xapian.1.
std::string database_below(const std::string& folder) {
  constexpr std::string_view kPlaces[] = {".kindred", ".notmuch/xapian", "xapian", "xapiandb"};
  for (const std::string_view place : kPlaces) {
    const fs::path path = fs::path(folder) / place;
    std::error_code none;
    if (has_glass(path) && !fs::exists(path / "cyrus.indexed.db", none)) return path.string();
  }
  return "";
}

/// True for a glass database in a single file.
bool is_single_file(const std::string& path) {
  constexpr std::string_view kGlassMagic = "\x0f\x0dXapian Glass";
  std::string begin(kGlassMagic.size(), '\0');
  std::ifstream(path, std::ios::binary)
      .read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kGlassMagic;
}

/// What a database needs to be written and this one lacks, for a message; "" if that is not known.
std::string lacking_for_writing(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) {
    if (is_single_file(path))
      return ": expected a database in a folder, for Xapian can only read a single file";
  } else if (has_glass(path) && !std::filesystem::exists(path + "/termlist.glass", ignored)) {
    return ": expected a database with term lists, but it was made without them (DB_NO_TERMLIST)";
  }
  return "";
}

/// True if what is stored makes no sense. A plain DatabaseError without a reason from the system
/// means that a table ends too early or cannot be unpacked.
bool is_damage(const Xapian::Error& error) {
  const std::string type = error.get_type();
  if (type == "DatabaseError") return error.get_error_string() == nullptr;
  return type == "DatabaseCorruptError" || type == "DatabaseModifiedError" ||
         type == "RangeError" || type == "SerialisationError";
}

/// Between two looks whether the write lock is free.
constexpr std::chrono::milliseconds kLongestPause{10};

/// Tries again while another writer holds the lock, for up to `wait` seconds.
Xapian::WritableDatabase open_when_free(const std::string& path, int action, double wait) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(wait);
  std::chrono::milliseconds pause{5};
  while (true) {
    try {
      return Xapian::WritableDatabase(path, action);
    } catch (const Xapian::DatabaseLockError& e) {
      if (!e.get_msg().ends_with("already locked")) throw;  // perhaps it may only be read
      if (std::chrono::steady_clock::now() >= end)
        throw Error(Errc::kDatabase, path + ": another program is writing to it; waited " +
                                         number_text(wait) + " s (write.wait)");
    }

    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

constexpr Xapian::valueno kUsualSlots = 256;  // programs number their slots from 0

/// At most this many values are in a chunk of Xapian, which has at most 2,000 bytes, two or more
/// per value.
constexpr int kChunk = 1000;

void check_docid(const ValueReader& values, Xapian::valueno slot, Xapian::docid last) {
  if (values.docid() <= last) return;
  throw Error(Errc::kCorrupt, "value slot " + std::to_string(slot) + " is damaged: it has docid " +
                                  std::to_string(values.docid()) + ", which no document has");
}

/// Reads the chunks that hold these documents, which ascend.
void check_chunks(const Xapian::Database& database, Xapian::valueno slot,
                  const std::vector<Xapian::docid>& docids) {
  const Xapian::docid last = database.get_lastdocid();
  ValueReader values(database, slot);

  for (const Xapian::docid docid : docids) {
    values.skip_to(docid);
    // Where a chunk begins is not told, so as many values are read as it can have.
    for (int i = 0; i < kChunk && !values.at_end(); ++i) {
      check_docid(values, slot, last);
      values.next();
    }
  }
}

/// Calls check(slot) for each slot that is to be checked.
template <typename Check>
void each_slot(const std::string& path, const Settings& settings, Check&& check) {
  Xapian::valueno slot = 0;

  try {
    for (; slot < kUsualSlots; ++slot) check(slot);

    // Those that Kindred writes may have other numbers.
    for (const std::int64_t own :
         {settings.labels.prediction_slot, settings.topics.slot, settings.related.slot}) {
      slot = static_cast<Xapian::valueno>(own);
      check(slot);
    }
  } catch (const Error& e) {
    throw Error(Errc::kCorrupt, path + ": cannot write safely: " + e.what());
  } catch (const Xapian::Error& e) {
    throw Error(Errc::kCorrupt, path + ": cannot write safely: value slot " + std::to_string(slot) +
                                    " is damaged: " + e.get_description());
  }
}

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
/// whose names end with .NEW. The last numbers of their
/// names are in the order of numbers. Where some have a number as their name, only these count:
/// public-inbox keeps another index beside.
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

/// The databases that are_found() at a path, at most so many; none if it is one itself.
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

/// Opens databases as the shards of one.
Xapian::Database open_together(const std::vector<std::string>& shards) {
  Xapian::Database all;
  for (const std::string& shard : shards) {
    try {
      all.add_database(Xapian::Database(shard));
    } catch (const Xapian::DatabaseOpeningError&) {
      if (has_glass(shard)) throw;
      throw Xapian::DatabaseModifiedError(shard + " went while it was opened");
    }
  }
  return all;
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

/// Bytes that this process may still write to the disk of a folder, or of the folder around it.
/// Nothing if the system does not tell.
std::optional<std::uint64_t> room_at(const fs::path& path) {
  struct statvfs disk {};
  const fs::path around = path.has_parent_path() ? path.parent_path() : ".";

  // A database that is about to be made is not there yet. Its disk is that of the folder around it.
  const bool is_known =
      ::statvfs(path.c_str(), &disk) == 0 || ::statvfs(around.c_str(), &disk) == 0;
  if (!is_known || disk.f_blocks == 0) return std::nullopt;

  // Some of the room may be kept for root alone.
  return std::uint64_t{::geteuid() == 0 ? disk.f_bfree : disk.f_bavail} * disk.f_frsize;
}

/// Follows the stubs that Xapian is about to follow, whose own stack has no bound. `listed`: the
/// databases so far.
/// @throws Error kCorrupt for stubs in stubs without end, or for too many databases;
/// kInvalidArgument for a file that is too large to be a stub; kNotFound if it cannot be read.
void follow_stubs(const std::string& path, int level, std::size_t& listed) {
  constexpr int kMostLevels = 8;
  constexpr std::string_view kAuto = "auto ";

  const auto stub = stub_at(path);
  if (!stub || is_single_file(stub->string()) || is_zim(stub->string())) return;
  if (level > kMostLevels)
    throw Error(Errc::kCorrupt, stub->string() + ": expected stubs in at most " +
                                    std::to_string(kMostLevels) +
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

void check_stubs(const std::string& path) {
  std::size_t listed = 0;
  follow_stubs(path, 1, listed);
}

}  // namespace

void check_room(const std::string& path, std::uint64_t pending) {
  constexpr std::uint64_t kLeast = std::uint64_t{16} << 20;
  const std::uint64_t expected = kLeast + 2 * pending;

  // What is no stub of shards has one address, which is its own. Servers look after their disks.
  std::string ignored;
  const auto addresses = shard_addresses(path, ignored);
  for (const ShardAddress& address : addresses.value_or(std::vector{ShardAddress{path, "", 0}})) {
    if (address.is_remote()) continue;
    const auto room = room_at(address.folder);
    if (!room || *room >= expected) continue;

    const auto megabytes = [](std::uint64_t bytes) {
      return std::to_string(bytes >> 20) + " MB";
    };
    throw Error(Errc::kDatabase, address.folder + ": nothing is written: expected " +
                                     megabytes(expected) + " of room on its disk, found " +
                                     megabytes(*room));
  }
}

Error database_error(const Xapian::Error& error, const std::string& doing) {
  const Errc code = is_damage(error) ? Errc::kCorrupt : Errc::kDatabase;
  return Error(code, doing + ": " + error.get_description());
}

std::string reason_in_flight() {
  try {
    throw;
  } catch (const Xapian::Error& e) {
    return e.get_description();
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "unknown exception";
  }
}

Xapian::Database open_database(const std::string& path) {
  check_path(path, "a database");
  if (are_found(path)) return open_together(found_databases(path));
  check_access(path);
  if (is_zim(path)) return open_zim(path);

  // Xapian follows stubs in stubs as far as its stack goes.
  check_stubs(path);
  try {
    return Xapian::Database(path);
  } catch (const Xapian::DatabaseNotFoundError& e) {
    const std::string below = database_below(path);
    if (below.empty())
      throw Error(Errc::kNotFound, path + ": no such database: " + e.get_description());
    throw Error(Errc::kNotFound, path + ": no such database; did you mean '" + below + "'?");
  }
}

Xapian::WritableDatabase open_writable_database(const std::string& path, const WriteSettings& write,
                                                int action) {
  check_path(path, "a database");

  // Before the database is made, or locked: what is refused must leave it as it is.
  if (are_found(path))
    throw Error(Errc::kUnsupported,
                path +
                    ": nothing is written: expected one database, found a folder of them, which "
                    "is only read");
  check_stubs(path);
  check_room(path, 0);

  try {
    return open_when_free(path, action, write.wait);
  } catch (const Xapian::Error& e) {
    throw database_error(
        e, path + ": cannot open the database for writing" + lacking_for_writing(path));
  }
}

void check_owner(const std::string& path, const WriteSettings& write) {
  if (write.other_user) return;

  // Shards may belong to different users. What a server has belongs to the server.
  std::string ignored;
  const auto addresses = shard_addresses(path, ignored);
  for (const ShardAddress& address : addresses.value_or(std::vector{ShardAddress{path, "", 0}})) {
    struct stat header {};
    if (address.is_remote() || ::stat((address.folder + "/iamglass").c_str(), &header) != 0)
      continue;
    if (header.st_uid == ::geteuid()) continue;

    const std::string owner = user_name(header.st_uid, "#");
    throw Error(Errc::kUnsupported,
                address.folder + ": nothing is written: the index belongs to " + owner +
                    ", and what " + user_name(::geteuid(), "#") +
                    " writes might not be readable for that user; use 'sudo -u " + owner +
                    " ...', or set write.other_user = true");
  }
}

void check_owner_of_files(const std::string& path, const Settings& settings) {
  std::error_code ignored;
  if (settings.index.directory.empty() && std::filesystem::is_directory(path, ignored))
    check_owner(path, settings.write);
}

void check_may_write(const std::string& path, const Settings& settings) {
  if (settings.index.read_only)
    throw Error(Errc::kUnsupported,
                path + ": expected index.read_only = false, for this writes to the index");
  check_owner(path, settings.write);
}

std::uint64_t revision_of(const Xapian::Database& database) {
  try {
    return database.get_revision();
  } catch (const Xapian::InvalidOperationError&) {  // more than one shard
    return 0;
  } catch (const Xapian::UnimplementedError&) {  // in memory, or remote
    return 0;
  }
}

std::vector<std::string> shards_of(const Xapian::Database& database) {
  std::vector<std::string> uuids(1);
  for (const char c : database.get_uuid()) {
    if (c == ':') {
      uuids.emplace_back();
    } else {
      uuids.back() += c;
    }
  }

  // With a shard in memory there are fewer UUIDs than shards, and nobody can tell whose they are.
  const std::size_t shards = database.size();
  if (shards > 1 && uuids.size() != shards) uuids.assign(shards, "");
  return uuids;
}

std::string metadata_of(const Xapian::Database& database, const std::string& key) {
  try {
    return database.get_metadata(key);
  } catch (const Xapian::UnimplementedError&) {
    return "";
  }
}

void check_values(const Xapian::Database& database, const std::string& path,
                  const Settings& settings) {
  const Xapian::docid last = database.get_lastdocid();
  each_slot(path, settings, [&](Xapian::valueno slot) {
    for (ValueReader values(database, slot); !values.at_end(); values.next())
      check_docid(values, slot, last);
  });
}

void check_values_of(const Xapian::Database& database, const std::string& path,
                     const Settings& settings, std::vector<Xapian::docid> docids) {
  std::sort(docids.begin(), docids.end());
  each_slot(path, settings, [&](Xapian::valueno slot) {
    check_chunks(database, slot, docids);
  });
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

Xapian::WritableDatabase open_writable_shard(const ShardAddress& shard,
                                             const WriteSettings& write) {
  if (!shard.is_remote()) return open_writable_database(shard.folder, write);
  return with_database_errors(shard.name() + ": cannot open the database for writing", [&] {
    return open_writable_shard(shard);
  });
}

Xapian::WritableDatabase open_writable_shard(const ShardAddress& shard) {
  if (shard.is_remote()) return Xapian::Remote::open_writable(shard.host, shard.port);
  check_room(shard.folder, 0);
  return Xapian::WritableDatabase(shard.folder, Xapian::DB_OPEN);
}

void pause_for_writers(std::chrono::steady_clock::duration held) {
  std::this_thread::sleep_for(
      std::min<std::chrono::steady_clock::duration>(held / 20, 2 * kLongestPause));
}

}  // namespace kindred
