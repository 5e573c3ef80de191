#pragma once

#include <xapian.h>
#include <cstdint>
#include <string>
#include <vector>

#include "config/error.h"
#include "config/settings.h"

namespace kindred {

/// Opens a database for reading.
/// @throws Error kNotFound if there is nothing at the path, kInvalidArgument if the path has a zero
/// byte, kDatabase if the database may not be read; Xapian::Error.
Xapian::Database open_database(const std::string& path);

/// Opens a database for writing. Makes it if there is none, unless `action` is Xapian::DB_OPEN.
/// Blocks for up to `write.wait` seconds while another writer holds the lock.
/// @throws Error kDatabase, also if the lock is still held then.
Xapian::WritableDatabase open_writable_database(const std::string& path,
                                                const WriteSettings& write,
                                                int action = Xapian::DB_OPEN);

/// Expects that documents and metadata of the database may be written.
/// @throws Error kUnsupported, if index.read_only says that they may not.
void check_may_write(const std::string& path, const IndexSettings& settings);

/// An Error for a Xapian error: kCorrupt if the stored data make no sense, else kDatabase. The
/// message begins with `doing`, which says what was being done.
Error database_error(const Xapian::Error& error, const std::string& doing);

/// The revision of a database; 0 if it cannot tell, because it has several shards or is in memory.
std::uint64_t revision_of(const Xapian::Database& database);

/// The UUIDs of the shards of a database, in their order. One that Xapian does not tell is "": that
/// of a shard in memory, and those of all shards if one of them has none.
std::vector<std::string> shards_of(const Xapian::Database& database);

}  // namespace kindred
