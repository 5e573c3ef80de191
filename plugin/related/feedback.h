#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/knn/backend.h"
#include "gpu/queries.h"
#include "plugin/questions.h"
#include "plugin/votes/classes/sparse_vector.h"

namespace kindred {

class Snapshot;

/// So many neighbors a question moves toward.
inline constexpr std::size_t kFeedbackNeighbors = 10;

/// Appends a query of a weighting, moved toward its nearest: Rocchio's feedback (1971), without
/// judgements. With the unit vectors q of the query and n of the neighbors, whose
/// similarities are s(n), it has the largest weights, then the smallest terms, of
///
///     q + sum over n of s(n) n / sum over n of s(n)
///
/// 50 of them, or as many as the query has, so that a long text still finds itself. Without
/// neighbors it is the query.
void add_moved(const Snapshot& snapshot, const TermWeighting& weighting, const SparseVector& query,
               std::span<const Neighbor> nearest, Queries& moved);

/// For a query of the snapshot's related(): the terms that a document shares with the moved query,
/// but not with the query itself: at most ten, the largest part of the similarity to the moved
/// query first, then by term. Each with the neighbor that brought most of its weight, of those that
/// are not this document; without such a neighbor it is left out. Words are left empty.
std::vector<api::NeighborTerm> brought_terms(const Snapshot& snapshot, const SparseVector& query,
                                             const SparseVector& moved,
                                             std::span<const Neighbor> nearest,
                                             Xapian::docid docid);

}  // namespace kindred
