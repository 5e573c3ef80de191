#pragma once

#include <xapian.h>
#include <span>
#include <string>

#include "plugin/answers.h"
#include "plugin/mirror/mirror.h"
#include "plugin/store/database_walk.h"

namespace kindred {

/// What a database is open at. Of its shards, if there are several, only the UUIDs are known.
/// @throws Xapian::Error.
DatabaseRevision database_revision(const Xapian::Database& database);

// At which revision the shards of a database are. Each gives null for fewer than two.

/// Shards that were opened one by one. @throws Xapian::Error.
ShardRevisions revisions_of(std::span<const Xapian::Database> shards);

/// Shards at the revisions that were looked at.
ShardRevisions revisions_of(const DatabaseState& state);

/// The revision of a mirror in digits, or those of its shards with commas between them.
std::string revision_text(const Mirror& mirror);

}  // namespace kindred
