#include "plugin/store/database.h"

#include <unistd.h>
#include <cerrno>
#include <filesystem>
#include <new>
#include <system_error>

#include "config/regular_file.h"
#include "plugin/store/glass_file.h"
#include "plugin/store/shard_addresses.h"
#include "plugin/store/zim.h"
#include "plugin/store/zim_file.h"

namespace kindred {
namespace {

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

/// True if what is stored makes no sense. A plain DatabaseError without a reason from the system
/// means that a table ends too early or cannot be unpacked.
bool is_damage(const Xapian::Error& error) {
  const std::string type = error.get_type();
  if (type == "DatabaseError") return error.get_error_string() == nullptr;
  return type == "DatabaseCorruptError" || type == "DatabaseModifiedError" ||
         type == "RangeError" || type == "SerialisationError";
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

}  // namespace

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

}  // namespace kindred
