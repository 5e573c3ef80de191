#pragma once

#include <xapian.h>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "gpu/document_set.h"
#include "plugin/answers.h"
#include "plugin/requests.h"

namespace kindred {

class DocumentSet;
class Snapshot;

/// Finds all groups of near-duplicates: the connected components of the pairs of documents whose
/// similarity is at least the threshold (single linkage). Exact: all neighbors of every document
/// down to the threshold count, however many they are. Documents without features belong to no
/// group, nor do those whose terms weigh nothing. Needs some 100 bytes for each document, and
/// memory for some millions of neighbors.
/// @param allowed the documents that match request.filter; null: all. Titles are left empty.
/// @throws Error kInvalidArgument (threshold outside (0, 1], limit < 1); kCanceled by on_progress;
/// as Backend::nearest(); whatever on_progress throws.
api::DuplicatesAnswer find_duplicates(const Snapshot& snapshot, const DuplicatesRequest& request,
                                      const DocumentSet* allowed);

/// What became of a document of a ranking whose near-duplicates are folded.
struct FoldedRank {
  std::size_t shown_by = 0;  ///< its own rank, or that of the better document that stands for it
  float similarity = 0;      ///< to that one; 0 for its own rank
};

/// Folds a ranking, best first: behind the first better document that is shown and at least so
/// similar to it, else a document is shown itself. What comes later changes nothing, so pages may
/// be cut from it. A document that the snapshot does not have is shown. No docid is there twice.
/// @throws Error kInvalidArgument (threshold outside (0, 1]).
std::vector<FoldedRank> fold_ranking(const Snapshot& snapshot,
                                     std::span<const Xapian::docid> ranking, double threshold,
                                     const Pulse& pulse);

/// For each of `arrived`, in the order in which they arrived: the most similar of the documents
/// that are not among them or arrived earlier, by the smaller docid if several are; nothing if that
/// is less similar than `threshold`, or the snapshot does not have the document. If a docid is
/// there twice, the last one counts, and the others get nothing.
/// @throws Error kInvalidArgument (threshold outside (0, 1]).
std::vector<std::optional<NearDuplicate>> find_near_duplicates(
    const Snapshot& snapshot, std::span<const Xapian::docid> arrived, double threshold);

}  // namespace kindred
