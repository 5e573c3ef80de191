#pragma once

#include "plugin/answers/related.h"

namespace kindred {

class MirroredDatabase;
class Snapshot;

/// The request with the documents that its queries find as examples and counter-examples, and
/// without the queries.
/// @throws Error kInvalidArgument (query_top < 1; as matching_rows()); kNotFound if a query matches
/// no document.
RelatedRequest with_query_examples(MirroredDatabase& database, const Snapshot& snapshot,
                                   RelatedRequest request);

}  // namespace kindred
