#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "index/facets.h"
#include "index/query.h"
#include "index/words.h"

namespace search_server {

struct SearchQuestion {
  std::string q;  ///< as people write it; "" matches all documents
  Filters filters;
  std::uint32_t offset = 0;
  std::uint32_t limit = 10;
  std::string sort = "relevance";  ///< or "newest", or a value field, "-" before it: descending
  bool partial = false;            ///< the last word may be the beginning of one
  std::size_t counted = 0;         ///< facets are of at least so many documents; 0: no facets
};

/// A part of a snippet.
struct SnippetPart {
  std::string text;
  bool hit = false;  ///< it matches the query
};

struct FoundDocument {
  IndexedDocument read;
  double score = 0;  ///< 0 unless sorted by relevance
  std::vector<SnippetPart> snippet;
};

struct SearchAnswer {
  std::vector<FoundDocument> documents;
  Facets facets;           ///< at least how many documents match
  std::string correction;  ///< "": none
};

/// @throws Problem 400 for a mistake; Xapian::Error; as the analysis.
SearchAnswer search(const Xapian::Database& database, const SearchQuestion& question,
                    const Schema& schema, Words& words, const FacetTable& facets);

}  // namespace search_server
