#pragma once

#include <xapian.h>

#include <map>
#include <string>
#include <vector>

#include "index/document.h"

namespace search_server {

/// What documents must have besides the words of a query.
struct Filters {
  std::vector<std::string> tags;                    ///< all of them, by people or predicted
  std::map<Kind, std::vector<std::string>> labels;  ///< all of them: kLabels, kPredicted
  std::map<Kind, std::vector<std::string>> any;     ///< one of them, of each kind
  /// By the name of a value field: one of these values; of numbers also a range "1..5", "1..",
  /// "..5".
  std::map<std::string, std::vector<std::string>> values;
};

/// `query`, only for documents that fit the filters. @throws Problem 400 if a value is no number.
Xapian::Query filtered(const Xapian::Query& query, const Filters& filters, const Schema& schema);

/// The documents whose id or title is what was typed, ranked first, and those whose id or title
/// begins so; empty if there are none. `words`: what was typed, as the index has words of titles.
/// @throws Xapian::Error.
Xapian::Query named(const Xapian::Database& database, const std::string& typed,
                    const std::vector<std::string>& words, const Schema& schema);

}  // namespace search_server
