#pragma once

#include <xapian.h>
#include <cstddef>
#include <string>
#include <vector>

#include "analyzer/analyzer.h"
#include "config/pulse.h"
#include "config/settings.h"
#include "gpu/document_set.h"
#include "plugin/mirror/mirror.h"
#include "plugin/vocabulary/vocabulary.h"

namespace kindred {

/// The documents of `mirror` that match a query string. It may have names of labels by the
/// `vocabulary`, which may be null.
/// @throws Error kInvalidArgument as parse_query() (plugin/query/query_parser.h); Xapian::Error;
/// whatever `pulse` throws.
DocumentSet matching_documents(const Xapian::Database& database, const Mirror& mirror,
                               const Vocabulary* vocabulary, const std::string& query,
                               const Settings& settings, Analyzer& analyzer,
                               const Pulse& pulse = {});

/// Those that match a query best, by Xapian's BM25, best first: at most `limit`. Documents of the
/// same weight are in docid order, as all are if the query has nothing but fields whose values are
/// taken whole. Syntax and errors as above.
std::vector<Xapian::docid> best_matching(const Xapian::Database& database, const Mirror& mirror,
                                         const Vocabulary* vocabulary, const std::string& query,
                                         std::size_t limit, const Settings& settings,
                                         Analyzer& analyzer, const Pulse& pulse = {});

}  // namespace kindred
