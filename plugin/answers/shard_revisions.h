#pragma once

#include <cstdint>
#include <functional>
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

/// Called now and then while a database is read for the first time, in the thread that opens it,
/// with the postings of its features that are read so far and all that there are. If it must be
/// read again, because a writer has committed meanwhile, it begins again at 0. What it throws is
/// passed on.
using ReadingProgress = std::function<void(std::uint64_t read, std::uint64_t all)>;

}  // namespace kindred
