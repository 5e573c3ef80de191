#pragma once

#include <xapian.h>
#include <chrono>
#include <cstdint>
#include <string>

#include "config/settings.h"
#include "plugin/store/shard_addresses.h"

namespace kindred {

/// Opens a database for writing. Makes it if there is none, unless `action` is Xapian::DB_OPEN.
/// Blocks for up to `write.wait` seconds while another writer holds the lock.
/// @throws Error kDatabase, also if the lock is still held then; as check_room(); of stubs as
/// open_database().
Xapian::WritableDatabase open_writable_database(const std::string& path, const WriteSettings& write,
                                                int action = Xapian::DB_OPEN);

/// Opens a shard for writing, as open_writable_database(); one at a server without waiting.
Xapian::WritableDatabase open_writable_shard(const ShardAddress& shard, const WriteSettings& write);

/// The same for one that was open, without waiting. @throws Xapian::Error; as check_room().
Xapian::WritableDatabase open_writable_shard(const ShardAddress& shard);

/// Expects room on the disk for what is about to be written and committed: 16 MB, and twice
/// `pending` bytes. Where the room ends within a commit, libxapian may end the process.
/// @throws Error kDatabase that says how much room there is, and how much was expected.
void check_room(const std::string& path, std::uint64_t pending);

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

/// Lets others take the write lock, which was held so long: sleeps a 20th of it, at most 20 ms.
void pause_for_writers(std::chrono::steady_clock::duration held);

}  // namespace kindred
