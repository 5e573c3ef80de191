#pragma once

#include <xapian.h>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plugin/answers/shard_revisions.h"

namespace kindred {

/// Called after each batch with the documents that are compared so far and all that will be.
/// Documents with the same features are compared once, and so count once. If it returns false, the
/// search is canceled.
using DuplicateProgress = std::function<bool(std::uint64_t compared, std::uint64_t all)>;

/// Which near-duplicates to look for.
struct DuplicateRequest {
  double threshold = 0.95;        ///< least similarity of a pair, in (0, 1]
  std::string filter;             ///< only documents that match this Xapian query; "" = all
  std::int64_t limit = 100;       ///< at most this many groups
  DuplicateProgress on_progress;  ///< called in the calling thread. May be empty
};

/// A document of a group.
struct Duplicate {
  Xapian::docid docid = 0;
  std::string id;
  std::vector<std::string> labels;  ///< in byte order
};

/// Documents that a chain of near-duplicate pairs connects (single linkage). The two ends of a
/// chain may be less similar than the threshold.
struct DuplicateGroup {
  std::vector<Duplicate> documents;  ///< two or more, docid ascending
  float least = 0;                   ///< similarity, of all pairs that reach the threshold
  float greatest = 0;
};

/// The document that another one is most like.
struct NearDuplicate {
  Xapian::docid docid = 0;
  std::string id;
  float similarity = 0;  ///< cosine, in (0, 1]
};

struct DuplicateReport {
  std::uint64_t revision = 0;          ///< of the index that was asked
  ShardRevisions shards = nullptr;     ///< of its shards, if there are several
  std::uint64_t examined = 0;          ///< documents that match the filter
  std::uint64_t found = 0;             ///< groups, including those beyond the limit
  std::uint64_t grouped = 0;           ///< documents in them
  std::vector<DuplicateGroup> groups;  ///< largest first, then by their first docid
};

}  // namespace kindred
