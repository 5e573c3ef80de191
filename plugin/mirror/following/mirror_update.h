#pragma once

#include <xapian.h>
#include <cstddef>
#include <optional>

#include "config/settings.h"
#include "plugin/mirror/following/document_changes.h"
#include "plugin/mirror/mirror.h"

namespace kindred {

/// The mirror of the database's revision, made of that of an earlier one and of the documents that
/// changed. It equals what read_mirror() makes of the database, in every field. Nothing if features
/// have other prefixes by now: the first stem came into an index without stems, or the last one
/// left. Expects that `changes` has all documents that differ. Works on up to `threads` threads
/// (for_each_item()).
/// @throws Error kInvalidArgument if the database has 2^32 - 1 documents or more; Xapian::Error.
std::optional<Mirror> updated_mirror(const Mirror& known, const DocumentChanges& changes,
                                     const Xapian::Database& database, const Settings& settings,
                                     std::size_t threads);

/// The same mirror, compact.
Mirror compacted_mirror(const Mirror& known, const Settings& settings, std::size_t threads);

}  // namespace kindred
