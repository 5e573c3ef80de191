#pragma once

#include <xapian.h>
#include <string>
#include <vector>

#include "config/settings.h"
#include "plugin/search/facets.h"

// What a search asks of Xapian besides the words of its query.

namespace kindred {

/// One of these queries.
template <typename Queries>
Xapian::Query any_of(const Queries& queries) {
  return Xapian::Query(Xapian::Query::OP_OR, queries.begin(), queries.end());
}

/// Documents with one of the values under the prefix, however the program that made the index
/// spells it.
Xapian::Query has_one_of(const std::string& prefix, const std::vector<std::string>& values);

/// Documents with this value: a text, a number, or a range "1..5", "1..", "..5".
/// @throws Error kInvalidArgument if a number is none.
Xapian::Query has_value(const ValueField& field, const std::string& value);

/// The documents whose id or title is what was typed, ranked first, and those whose id or title
/// begins so; empty if there are none, or if that is longer than a phrase may be. `words`: what was
/// typed, as the index has words of titles.
/// @throws Xapian::Error.
Xapian::Query named(const Xapian::Database& database, const std::string& typed,
                    const std::vector<std::string>& words, const Settings& settings);

}  // namespace kindred
