#pragma once

#include <xapian.h>
#include <cstdint>
#include <string>
#include <vector>

#include "config/api.h"
#include "config/error.h"

namespace kindred {

/// Opens a database for reading.
/// @throws Error kNotFound if there is nothing at the path, kInvalidArgument if the path has a zero
/// byte or a stub more than 1 MiB, kCorrupt for stubs that list each other, kDatabase if the
/// database may not be read; Xapian::Error.
Xapian::Database open_database(const std::string& path);

/// An Error for a Xapian error: kCorrupt if the stored data make no sense, else kDatabase. The
/// message begins with `doing`, which says what was being done.
Error database_error(const Xapian::Error& error, const std::string& doing);

/// What the exception in flight says, whatever was thrown: a Xapian::Error is no std::exception. To
/// be called while one is handled, where it is no failure of the whole.
KINDRED_API std::string reason_in_flight();

/// What body() returns. An error of Xapian becomes database_error().
template <typename Body>
auto with_database_errors(const std::string& doing, Body&& body) {
  try {
    return body();
  } catch (const Xapian::Error& e) {
    throw database_error(e, doing);
  }
}

/// The revision of a database; 0 if it cannot tell, because it has several shards or is in memory.
std::uint64_t revision_of(const Xapian::Database& database);

/// The UUIDs of the shards of a database, in their order. One that Xapian does not tell is "": that
/// of a shard in memory, and those of all shards if one of them has none.
std::vector<std::string> shards_of(const Xapian::Database& database);

/// What the metadata have under a key; "" also for a kind of database without metadata.
/// @throws Xapian::Error.
std::string metadata_of(const Xapian::Database& database, const std::string& key);

}  // namespace kindred
