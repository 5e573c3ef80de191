#include "plugin/mirror/database_revision.h"

#include <memory>
#include <utility>

#include "plugin/store/database.h"

namespace kindred {
namespace {

ShardRevisions if_several(std::vector<ShardRevision> shards) {
  if (shards.size() < 2) return nullptr;
  return std::make_shared<const std::vector<ShardRevision>>(std::move(shards));
}

}  // namespace

DatabaseRevision database_revision(const Xapian::Database& database) {
  DatabaseRevision of{database.get_uuid(), shards_of(database), revision_of(database)};

  std::vector<ShardRevision> unknown;
  for (const std::string& uuid : of.shards) unknown.push_back({uuid, 0});
  of.shard_revisions = if_several(std::move(unknown));
  return of;
}

DatabaseRevision database_revision(const DatabaseState& state) {
  DatabaseRevision of;
  std::vector<ShardRevision> known;
  // Xapian joins the UUIDs of shards by colons.
  for (const TermlistState& shard : state) {
    if (!known.empty()) of.uuid += ':';
    of.uuid += shard.uuid;
    of.shards.push_back(shard.uuid);
    known.push_back({shard.uuid, shard.revision});
  }

  if (state.size() == 1) of.revision = state.front().revision;
  of.shard_revisions = if_several(std::move(known));
  return of;
}

}  // namespace kindred
