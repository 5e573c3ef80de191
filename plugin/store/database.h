#pragma once

#include <xapian.h>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/api.h"
#include "config/error.h"
#include "config/settings.h"

namespace kindred {

/// Opens a database for reading.
/// @throws Error kNotFound if there is nothing at the path, kInvalidArgument if the path has a zero
/// byte or a stub more than 1 MiB, kCorrupt for stubs that list each other, kDatabase if the
/// database may not be read; Xapian::Error.
Xapian::Database open_database(const std::string& path);

/// Expects room on the disk for what is about to be written and committed: 16 MB, and twice
/// `pending` bytes. Where the room ends within a commit, libxapian may end the process.
/// @throws Error kDatabase that says how much room there is, and how much was expected.
void check_room(const std::string& path, std::uint64_t pending);

/// Opens a database for writing. Makes it if there is none, unless `action` is Xapian::DB_OPEN.
/// Blocks for up to `write.wait` seconds while another writer holds the lock.
/// @throws Error kDatabase, also if the lock is still held then; as check_room(); of stubs as
/// open_database().
Xapian::WritableDatabase open_writable_database(const std::string& path, const WriteSettings& write,
                                                int action = Xapian::DB_OPEN);

/// Expects that this process runs as the user to whom the database belongs, with each of its
/// shards: what Xapian replaces would then belong to another one. A database that is not there yet
/// belongs to nobody.
/// @throws Error kUnsupported, which names the owner, unless write.other_user allows it.
void check_owner(const std::string& path, const WriteSettings& write);

/// Expects the same where files are made in the folder of the database itself. In index.directory,
/// and beside a stub or a file, they are of that folder.
void check_owner_of_files(const std::string& path, const Settings& settings);

/// Expects that documents and metadata of the database may be written.
/// @throws Error kUnsupported, if index.read_only says that they may not; as check_owner().
void check_may_write(const std::string& path, const Settings& settings);

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

/// Checks the value slots of a database before it is written: reads the first 256, and those of the
/// settings. Xapian reads them while it writes, in a destructor, so damage there would end the
/// process. Takes some 0.1 us per value. `path` is for the message.
/// @throws Error kCorrupt if they cannot be read, or list documents that the database does not
/// have.
void check_values(const Xapian::Database& database, const std::string& path,
                  const Settings& settings);

/// The same for a database in which only these documents are to be written. Reads only the parts of
/// each slot that Xapian then reads, so the time does not depend on the size of the database.
void check_values_of(const Xapian::Database& database, const std::string& path,
                     const Settings& settings, std::vector<Xapian::docid> docids);

/// Where a shard of a database is: in a folder, or at a server (xapian-tcpsrv).
struct ShardAddress {
  std::string folder;  ///< "" for one at a server
  std::string host;
  unsigned port = 0;

  bool is_remote() const { return folder.empty(); }
  std::string name() const {
    if (is_remote()) return host + ":" + std::to_string(port);
    return folder;
  }
};

/// The shards of a database: the path itself, those that a stub lists, or those that are_found().
/// Nothing, with `why`, for a stub that cannot be read or lists something else.
std::optional<std::vector<ShardAddress>> shard_addresses(const std::string& path, std::string& why);

/// True if a path is no database, but leads to databases that are read as its shards, and never
/// written: those in a folder (but for the index of a program that was given the folder), in its
/// folders xap15 or ei15 as public-inbox has them, or at the paths that a pattern with stars
/// matches. They are looked for whenever the database is opened.
bool are_found(const std::string& path);

/// True if the path has a star: then no one folder is that of the database.
bool is_pattern(const std::string& path);

/// Opens a shard for writing, as open_writable_database(); one at a server without waiting.
Xapian::WritableDatabase open_writable_shard(const ShardAddress& shard, const WriteSettings& write);

/// The same for one that was open, without waiting. @throws Xapian::Error; as check_room().
Xapian::WritableDatabase open_writable_shard(const ShardAddress& shard);

/// Lets others take the write lock, which was held so long: sleeps a 20th of it, at most 20 ms.
void pause_for_writers(std::chrono::steady_clock::duration held);

}  // namespace kindred
