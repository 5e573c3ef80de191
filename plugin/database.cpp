#include "plugin/database.h"

#include <filesystem>

namespace kindred {

Error database_error(const Xapian::Error& error, const std::string& doing) {
  return Error(Errc::kDatabase, doing + ": " + error.get_description());
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
  } catch (const Xapian::Error& e) {
    throw database_error(e, path + ": cannot open the database");
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
