#pragma once

#include <xapian.h>
#include <vector>

#include "plugin/answers/prefix_count.h"
#include "plugin/mirror/mirror.h"

namespace kindred {

/// The prefixes of the database's terms in byte order, without stems ("Z"). A prefix is one capital
/// letter, or X and all capitals and low lines after it. Reads the list of each such term.
/// @throws Error kCorrupt; Xapian::Error.
std::vector<PrefixCount> survey_prefixes(const Xapian::Database& database, const Mirror& mirror);

}  // namespace kindred
