#include "plugin/mirror/reading/read_revisions.h"

#include <memory>
#include <utility>

#include "plugin/store/database.h"

namespace kindred {
namespace {

template <typename Shards, typename Look>
ShardRevisions look_at_each(const Shards& shards, Look&& look) {
  if (shards.size() < 2) return nullptr;
  std::vector<ShardRevision> revisions(shards.size());
  std::ranges::transform(shards, revisions.begin(), look);
  return std::make_shared<const std::vector<ShardRevision>>(std::move(revisions));
}

/// Shards of which only the UUIDs are known.
ShardRevisions unknown_revisions(const std::vector<std::string>& uuids) {
  return look_at_each(uuids, [](const std::string& uuid) { return ShardRevision{uuid, 0}; });
}

}  // namespace

DatabaseRevision database_revision(const Xapian::Database& database) {
  const std::vector<std::string> shards = shards_of(database);
  return {database.get_uuid(), shards, revision_of(database), unknown_revisions(shards)};
}

ShardRevisions revisions_of(std::span<const Xapian::Database> shards) {
  return look_at_each(shards, [](const Xapian::Database& shard) {
    return ShardRevision{shard.get_uuid(), revision_of(shard)};
  });
}

ShardRevisions revisions_of(const DatabaseState& state) {
  return look_at_each(state, [](const TermlistState& shard) {
    return ShardRevision{shard.uuid, shard.revision};
  });
}

std::string revision_text(const Mirror& mirror) {
  if (!mirror.shard_revisions) return std::to_string(mirror.revision);
  std::string text;
  for (const ShardRevision& shard : *mirror.shard_revisions)
    text += (text.empty() ? "" : ", ") + std::to_string(shard.revision);
  return text;
}

}  // namespace kindred
