#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kindred {

/// A shard of a database at one of its revisions.
struct ShardRevision {
  std::string uuid;            ///< "" if it cannot tell
  std::uint64_t revision = 0;  ///< 0 if it cannot tell: it is remote, or was opened by the caller
  bool operator==(const ShardRevision&) const = default;
};

/// All shards of a database, in their order. Null if it is not one of several shards: then its
/// revision says it all. Shared, since every answer from a snapshot has the same.
using ShardRevisions = std::shared_ptr<const std::vector<ShardRevision>>;

/// What an answer is from: a base of every answer.
struct Origin {
  std::uint64_t revision = 0;       ///< of the index that was asked; 0 if it cannot tell
  ShardRevisions shards = nullptr;  ///< of its shards, if there are several
};

}  // namespace kindred
