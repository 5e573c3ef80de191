#pragma once

#include <xapian.h>
#include <cstdint>
#include <string>
#include <vector>

#include "plugin/store/database_walk.h"
#include "plugin/store/origin.h"

namespace kindred {

/// Which database, and which revision of it.
struct DatabaseRevision {
  std::string uuid;
  std::vector<std::string> shards;  ///< their UUIDs; see shards_of()
  std::uint64_t revision = 0;       ///< 0 if the database cannot tell (several shards, in memory)
  ShardRevisions shard_revisions = nullptr;  ///< with their revisions, if there are several

  Origin origin() const { return {revision, shard_revisions}; }
};

/// What a database is open at. Of its shards, if there are several, only the UUIDs are known.
/// @throws Xapian::Error.
DatabaseRevision database_revision(const Xapian::Database& database);

/// The same of a state, which knows at which revision each shard is.
DatabaseRevision database_revision(const DatabaseState& state);

}  // namespace kindred
