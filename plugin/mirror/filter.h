#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyzer.h"
#include "config/settings.h"
#include "gpu/row_set.h"
#include "plugin/mirror/mirror.h"

namespace kindred {

/// The rows of `mirror` whose documents match a query string.
/// @throws Error kInvalidArgument as parse_query() (plugin/mirror/query_parser.h), and if
/// its wildcards stand for too many terms; Xapian::Error.
RowSet matching_rows(const Xapian::Database& database, const Mirror& mirror,
                     const std::string& query, const Settings& settings, Analyzer& analyzer);

/// The rows of the documents that match a query best, by Xapian's BM25, best first: at most
/// `limit`. Documents of the same weight are in docid order, as all are if the query has nothing
/// but fields whose values are taken whole. Syntax and errors as matching_rows().
std::vector<std::uint32_t> best_matching_rows(const Xapian::Database& database,
                                              const Mirror& mirror, const std::string& query,
                                              std::size_t limit, const Settings& settings,
                                              Analyzer& analyzer);

}  // namespace kindred
