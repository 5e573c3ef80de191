#pragma once

#include <xapian.h>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/document_set.h"
#include "plugin/answers.h"
#include "plugin/related/document_groups.h"
#include "plugin/related/neighborhood.h"
#include "plugin/requests.h"
#include "plugin/snapshot/example_query.h"

namespace kindred {

/// Exact cosine kNN by examples; with feedback, by the query that has moved toward the ten nearest
/// of `allowed` (feedback.h). The examples themselves are never results, nor what has no term in
/// common with them. Titles are left out, and words of terms empty. The queries of the request are
/// not looked at: with_query_examples() turns them into examples. With `groups`, the best of each
/// group stands for all.
/// @throws Error as make_query(); kInvalidArgument if k < 1, or threshold or fold is outside [0,
/// 1].
RelatedResult find_related(const ExampleContext& context, const RelatedRequest& request,
                           const DocumentSet* allowed, DocumentGroups* groups = nullptr);

/// The related documents of each of these documents, which is the only example of its search, in
/// one batch: much faster than one by one, unless near-duplicates are folded. The examples of the
/// request are not looked at.
/// @throws Error as find_related(); kNotFound for a docid that the snapshot does not have.
std::vector<RelatedResult> find_related_each(const ExampleContext& context,
                                             std::span<const Xapian::docid> docids,
                                             const RelatedRequest& request,
                                             const DocumentSet* allowed,
                                             DocumentGroups* groups = nullptr);

/// The documents that find_related() gives without feedback, by number and similarity alone, in the
/// order of their numbers.
Neighborhood find_neighborhood(const ExampleContext& context, RelatedRequest request,
                               const DocumentSet* allowed);

class MirroredDatabase;
class Snapshot;

/// The request with the documents that its queries find as examples and counter-examples, and
/// without the queries.
/// @throws Error kInvalidArgument (more than kMaxExamples without those; like_top < 1; as
/// matching_documents()); kNotFound if a query matches no document.
RelatedRequest with_query_examples(MirroredDatabase& database, const Snapshot& snapshot,
                                   RelatedRequest request);

}  // namespace kindred
