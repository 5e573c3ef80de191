#pragma once

#include <xapian.h>
#include <cstdint>
#include <string>

#include "config/error.h"

namespace kindred {

/// Opens a database to read.
/// @throws Error kNotFound if nothing is at the path, kInvalidArgument if it has a zero byte,
/// kDatabase if it may not be read or Xapian cannot open it.
Xapian::Database open_database(const std::string& path);

/// Opens a database to write; makes it if there is none, unless `action` is Xapian::DB_OPEN.
/// @throws Error kDatabase, also if another writer holds the lock.
Xapian::WritableDatabase open_writable_database(const std::string& path,
                                                int action = Xapian::DB_CREATE_OR_OPEN);

/// A Xapian error as ours, with what was being done.
Error database_error(const Xapian::Error& error, const std::string& doing);

/// The revision of a database; 0 where it cannot tell: one of several shards, or one in memory.
std::uint64_t revision_of(const Xapian::Database& database);

/// Runs body(), which reads `database`. If a writer has overtaken the reader, reopens and runs it
/// again, a bounded number of times.
/// @throws Error kDatabase for every Xapian::Error; whatever else body() throws.
template <typename Body>
auto read_database(Xapian::Database& database, const std::string& doing, Body&& body) {
  constexpr int kAttempts = 8;
  for (int attempt = 1;; ++attempt) {
    try {
      return body();
    } catch (const Xapian::DatabaseModifiedError& e) {
      if (attempt == kAttempts) throw database_error(e, doing);
    } catch (const Xapian::Error& e) {
      throw database_error(e, doing);
    }
    try {
      database.reopen();
    } catch (const Xapian::Error& e) {
      throw database_error(e, doing);
    }
  }
}

}  // namespace kindred
