#pragma once

#include <xapian.h>

#include "config/settings.h"
#include "gpu/row_set.h"
#include "plugin/mirror/mirror.h"

namespace kindred {

/// The counts of a mirror whose rows with predicted tags are known; the others are those that the
/// database keeps itself. @throws Xapian::Error.
TagCounts count_tags(const Xapian::Database& database, const LabelSettings& settings,
                     const RowSet& tagged);

}  // namespace kindred
