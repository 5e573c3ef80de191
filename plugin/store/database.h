#pragma once

#include <xapian.h>
#include <cstdint>
#include <string>

#include "config/error.h"

namespace kindred {

/// Opens a database to read.
/// @throws Error kNotFound if nothing is at the path, kInvalidArgument if it has a zero byte,
/// kDatabase if it may not be read; Xapian::Error.
Xapian::Database open_database(const std::string& path);

/// Opens a database to write; makes it if there is none, unless `action` is Xapian::DB_OPEN.
/// @throws Error kDatabase, also if another writer holds the lock.
Xapian::WritableDatabase open_writable_database(const std::string& path,
                                                int action = Xapian::DB_CREATE_OR_OPEN);

/// A Xapian error as ours, with what was being done: kCorrupt where what is stored makes no sense,
/// kNotFound where no database is, else kDatabase.
Error database_error(const Xapian::Error& error, const std::string& doing);

/// The revision of a database; 0 where it cannot tell: one of several shards, or one in memory.
std::uint64_t revision_of(const Xapian::Database& database);

}  // namespace kindred
