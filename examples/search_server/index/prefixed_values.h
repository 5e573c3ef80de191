#pragma once

#include <xapian.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "index/terms.h"

namespace search_server {

/// Calls take(i, value) for each term of a document that has a value under prefixes[i]. One prefix
/// may begin another: XT and XTOPIC. Terms between them are skipped.
template <typename Take>
void for_each_value(const Xapian::Document& document, const std::vector<std::string>& prefixes,
                    Take&& take) {
  Xapian::TermIterator term;
  try {
    term = document.termlist_begin();
  } catch (const Xapian::DocNotFoundError&) {
    return;  // the index does not keep the terms of documents
  }
  const Xapian::TermIterator end = document.termlist_end();
  const auto next_prefix = [&](std::string_view after) {
    const std::string* least = nullptr;
    for (const std::string& prefix : prefixes) {
      if (prefix > after && (least == nullptr || prefix < *least)) least = &prefix;
    }
    return least;
  };
  const std::string* next = next_prefix("");
  while (next != nullptr) {
    term.skip_to(*next);
    bool found = true;
    for (; found && term != end; ++term) {
      const std::string name = *term;
      found = false;
      for (std::size_t i = 0; i < prefixes.size(); ++i) {
        if (!name.starts_with(prefixes[i])) continue;
        found = true;
        if (const auto value = value_of(prefixes[i], name)) take(i, *value);
      }
      if (!found) {
        next = next_prefix(name);
        break;
      }
    }
    if (term == end) return;
  }
}

}  // namespace search_server
