#pragma once

#include <xapian.h>
#include <string>

#include "analyzer/analyzer.h"
#include "config/settings.h"
#include "gpu/row_set.h"
#include "plugin/mirror/mirror.h"

namespace kindred {

/// The rows of `mirror` whose documents match a query string.
/// The syntax is Xapian::QueryParser's (AND OR NOT, phrases, wildcards, brackets) with the fields
/// of plugin/mirror/filter_syntax.h; words are stemmed as the index is.
/// @throws Error kInvalidArgument as check_filter() (plugin/mirror/filter_syntax.h), if the query
/// does not parse or has no word or field, and if its wildcards stand for too many terms;
/// Xapian::Error.
RowSet matching_rows(const Xapian::Database& database, const Mirror& mirror,
                     const std::string& query, const Settings& settings, Analyzer& analyzer);

}  // namespace kindred
