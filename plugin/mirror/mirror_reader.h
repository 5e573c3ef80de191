#pragma once

#include <xapian.h>

#include "config/settings.h"
#include "plugin/mirror/mirror.h"

namespace kindred {

/// Reads a database by one pass over its posting lists.
/// @throws Error kCorrupt if lists do not ascend or have documents that the database has not;
/// kInvalidArgument if it has 2^32 - 1 documents or more; whatever Xapian throws. Each of these may
/// be the work of a writer that overtook the pass: DatabaseReader tells.
Mirror read_mirror(const Xapian::Database& database, const Settings& settings);

}  // namespace kindred
