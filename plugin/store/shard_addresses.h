#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kindred {

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

/// The databases that are_found() at a path; none if it is one itself.
/// @throws Error kCorrupt if they are more than 10,000.
std::vector<std::string> found_databases(const std::string& path);

/// Where programs keep the index of a folder that they were given: the one that is there, or "".
/// Not that of Cyrus, which has others beside xapian, such as xapian.1.
std::string database_below(const std::string& folder);

/// Follows the stubs that Xapian is about to follow, whose own stack has no bound.
/// @throws Error kCorrupt for stubs in stubs without end, or for too many databases;
/// kInvalidArgument for a file that is too large to be a stub; kNotFound if it cannot be read.
void check_stubs(const std::string& path);

}  // namespace kindred
