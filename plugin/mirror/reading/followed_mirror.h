#pragma once

#include <xapian.h>
#include <optional>

#include "config/settings.h"
#include "plugin/mirror/mirror.h"
#include "plugin/mirror/reading/document_changes.h"

namespace kindred {

/// The mirror of the database's revision, made of that of an earlier one and of the documents that
/// changed: those that are new or different are a new segment, and their former rows die. It gives
/// the answers of what read_mirror() makes of the database. Its cost follows the documents that
/// changed, besides a few passes over the numbers that each row has one of. `changes` may have
/// documents that did not change, and must have all that did.
///
/// Nothing if features have other prefixes by now: the first stem came into an index without stems,
/// or the last one left.
/// @throws Error kInvalidArgument if there are too many documents for one mirror; Xapian::Error.
std::optional<Mirror> followed_mirror(const Mirror& known, const DocumentChanges& changes,
                                      const Xapian::Database& database, const Settings& settings);

}  // namespace kindred
