#include "plugin/database.h"

#include <filesystem>

namespace kindred {

namespace {

/// Where the system gave no reason, a table ends too early or does not unpack.
bool is_damage(const Xapian::Error& error) {
  const std::string type = error.get_type();
  if (type == "DatabaseError") return error.get_error_string() == nullptr;
  return type == "DatabaseCorruptError" || type == "DatabaseModifiedError" ||
         type == "RangeError" || type == "SerialisationError";
}

}  // namespace

Error database_error(const Xapian::Error& error, const std::string& doing) {
  const Errc code = is_damage(error) ? Errc::kCorrupt : Errc::kDatabase;
  return Error(code, doing + ": " + error.get_description());
}

Xapian::Database open_database(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw Error(Errc::kNotFound, path + ": no such database");
  }
  try {
    return Xapian::Database(path);
  } catch (const Xapian::DatabaseNotFoundError& e) {
    throw Error(Errc::kNotFound, path + ": no such database: " + e.get_description());
  }
}

Xapian::WritableDatabase open_writable_database(const std::string& path, int action) {
  try {
    return Xapian::WritableDatabase(path, action);
  } catch (const Xapian::Error& e) {
    throw database_error(e, path + ": cannot open the database for writing");
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

}  // namespace kindred
