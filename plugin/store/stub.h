#pragma once

#include <xapian.h>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"

namespace kindred {

/// Where a shard of a database is: in a folder, or at a server (xapian-tcpsrv).
struct ShardPlace {
  std::string folder;  ///< "" for one at a server
  std::string host;
  unsigned port = 0;

  bool is_remote() const { return folder.empty(); }
  std::string name() const { return is_remote() ? host + ":" + std::to_string(port) : folder; }
};

/// The shards of a database: the path itself, or those that a stub lists. Nothing, with `why`, for
/// a stub that cannot be read or lists something else.
std::optional<std::vector<ShardPlace>> shard_places(const std::string& path, std::string& why);

/// Opens a shard for writing, as open_writable_database(); one at a server without waiting.
Xapian::WritableDatabase open_writable_shard(const ShardPlace& shard, const WriteSettings& write);

}  // namespace kindred
