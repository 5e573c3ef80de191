#pragma once

#include <xapian.h>
#include <string>

#include "plugin/mirror/mirror.h"
#include "plugin/query/parsed_query.h"
#include "plugin/vocabulary/vocabulary.h"

namespace kindred {

/// A query string may have labels as the documents of `mirror` have them: by their names in the
/// vocabulary, which may be null, with those below them, and those of shards. Borrows both.
void set_labels(QueryStyle& style, const Mirror& mirror, const Vocabulary* vocabulary);

/// The documents of the shards with a label (labels.shards); none if no shard has it. The query
/// cannot be serialised.
/// @throws Error kUnsupported if a shard with another label has the same UUID, as a copy has.
Xapian::Query in_shards_with(const std::string& label, const Mirror& mirror);

}  // namespace kindred
