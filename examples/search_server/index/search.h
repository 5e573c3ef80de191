#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "index/database_pool.h"
#include "index/document.h"
#include "index/facets.h"
#include "index/query.h"
#include "index/schema.h"
#include "index/snippet.h"

namespace search_server {

struct SearchQuestion {
  std::string q;  ///< as people write it; "" matches all documents
  Filters filters;
  std::uint32_t offset = 0;
  std::uint32_t limit = 10;
  std::string sort = "relevance";  ///< or "newest", or a value field, "-" before it: descending
  bool partial = false;            ///< the last word may be the beginning of one
  std::size_t facets = 10;         ///< values of each kind; 0: count none
  /// Counts over at least this many matching documents, or with a table twenty times as many.
  std::uint32_t facet_documents = 5000;
};

struct FoundDocument {
  IndexedDocument document;
  double score = 0;  ///< 0 unless sorted by relevance
  std::vector<SnippetPart> snippet;
};

struct SearchAnswer {
  std::uint32_t estimate = 0;  ///< of the matching documents
  bool exact = false;
  std::vector<FoundDocument> documents;
  Facets facets;
  std::string correction;  ///< "": none
};

/// `facets`: of the same revision; null if there is none. @throws QueryMistake; Xapian::Error; as
/// the analysis.
SearchAnswer search(const Xapian::Database& database, const SearchQuestion& question,
                    const Schema& schema, const QueryAnalysis& analysis, const FacetTable* facets);

}  // namespace search_server
