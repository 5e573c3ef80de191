#pragma once

#include <xapian.h>

#include <string>
#include <vector>

#include "index/document.h"

namespace search_server {

/// `query`, only for documents that have all of the members "tag" (by people or predicted), "label"
/// and "predicted" of what is asked, and one of each of "topic", "unit", "language" and
/// "value.NAME": a text, a number, or a range "1..5", "1..", "..5".
/// @throws Problem 400 if a value is no number.
Xapian::Query filtered(const Xapian::Query& query, const Json& asked, const Schema& schema);

/// The documents whose id or title is what was typed, ranked first, and those whose id or title
/// begins so; empty if there are none. `words`: what was typed, as the index has words of titles.
/// @throws Xapian::Error.
Xapian::Query named(const Xapian::Database& database, const std::string& typed,
                    const std::vector<std::string>& words, const Schema& schema);

}  // namespace search_server
