#pragma once

#include <xapian.h>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
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

class RowSet;
class Snapshot;

/// Finds all groups of near-duplicates: the connected components of the pairs of documents whose
/// similarity is at least the threshold (single linkage). Exact: all neighbors of every document
/// down to the threshold count, however many they are. Documents without features belong to no
/// group, nor do those whose terms weigh nothing. Needs some 100 bytes for each document, and
/// memory for some millions of neighbors.
/// @param allowed the rows that match request.filter; null: all.
/// @throws Error kInvalidArgument (threshold outside (0, 1], limit < 1); kCanceled by on_progress;
/// as Backend::nearest(); whatever on_progress throws.
DuplicateReport find_duplicates(const Snapshot& snapshot, const DuplicateRequest& request,
                                const RowSet* allowed);

/// For each of `arrived`, in the order in which they arrived: the most similar of the documents
/// that are not among them or arrived earlier, by the smaller docid if several are; nothing if that
/// is less similar than `threshold`, or the snapshot does not have the document. If a docid is
/// there twice, its last place counts, and the others get nothing.
/// @throws Error kInvalidArgument (threshold outside (0, 1]).
std::vector<std::optional<NearDuplicate>> find_near_duplicates(
    const Snapshot& snapshot, std::span<const Xapian::docid> arrived, double threshold);

}  // namespace kindred
