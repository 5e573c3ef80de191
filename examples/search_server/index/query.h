#pragma once

#include <xapian.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "index/query_analysis.h"
#include "index/schema.h"

namespace search_server {

/// What documents must have besides the words of a query.
struct Filters {
  std::vector<std::string> labels;     ///< all of them, by people
  std::vector<std::string> predicted;  ///< all of them
  std::vector<std::int64_t> topics;    ///< one of them
  std::vector<std::int64_t> units;     ///< one of them, of the map
  std::vector<std::string> languages;  ///< one of them
  /// By the name of a value field: one of these values; of numbers also a range "1..5", "1..",
  /// "..5".
  std::map<std::string, std::vector<std::string>> values;
};

/// A query that was parsed.
struct ParsedQuery {
  Xapian::Query query;
  std::vector<std::string> unknown;  ///< its words that no document has, as they were typed
};

/// Parses a query as people write it; "" matches all documents. `partial`: the last word may be the
/// beginning of one. @throws QueryMistake; Xapian::Error; as the analysis.
ParsedQuery parse_query(const Xapian::Database& database, const std::string& typed, bool partial,
                        const QueryAnalysis& analysis);

/// `query`, only for documents that fit the filters. @throws QueryMistake if a value is no number.
Xapian::Query filtered(const Xapian::Query& query, const Filters& filters, const Schema& schema);

}  // namespace search_server
