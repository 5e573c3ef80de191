#include "plugin/store/writable_database.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "config/error.h"
#include "config/regular_file.h"
#include "config/shown.h"
#include "config/user_name.h"
#include "plugin/store/database.h"
#include "plugin/store/glass_file.h"

namespace kindred {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

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

void pause_for_writers(std::chrono::steady_clock::duration held) {
  std::this_thread::sleep_for(
      std::min<std::chrono::steady_clock::duration>(held / 20, 2 * kLongestPause));
}

}  // namespace kindred
