#pragma once

#include <xapian.h>
#include <optional>

#include "config/settings.h"
#include "plugin/mirror/following/document_changes.h"
#include "plugin/mirror/mirror.h"

namespace kindred {

/// The mirror of the database's revision, grown out of that of an earlier one by the documents that
/// changed. It shares the counts, ids and terms of the known one and gives the same answers as
/// updated_mirror(). Its cost follows the documents that changed, besides a few passes over the
/// numbers that each row or label has one of. `changes` may have documents that did not change, and
/// must have all that did.
///
/// Nothing if the rows or the prefixes cannot stay as they are, so that a compact mirror has to be
/// made:
/// - a document came between two others, or an id moved to another document;
/// - as updated_mirror() without a result;
/// - too much has changed since the known mirror was compact.
/// @throws Error kInvalidArgument if there are 2^32 - 1 rows or more; Xapian::Error.
std::optional<Mirror> grown_mirror(const Mirror& known, const DocumentChanges& changes,
                                   const Xapian::Database& database, const Settings& settings);

/// True if so much has changed since the mirror was compact that grown_mirror() makes no other of
/// it; `nearly`: if half as much has.
bool is_due_for_compaction(const RowCounts& counts, bool nearly);

}  // namespace kindred
