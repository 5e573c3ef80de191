#pragma once

#include <memory>
#include <string>

#include "index/facets.h"
#include "index/words.h"

namespace search_server {

struct SearchAnswer {
  Json documents = Json::array();  ///< with "score" (0 unless sorted by relevance) and "snippet"
  Counts counts;           ///< of the facets, if any are asked; at least how many documents match
  std::string correction;  ///< "": none
};

/// What answers, and what is known of the index besides its documents.
struct SearchedIndex {
  std::shared_ptr<const Handle> plugin;
  std::shared_ptr<kindred::AnalyzerPool> analyzers;
  std::shared_ptr<const FacetTable> facets;
  Schema schema;
};

/// Answers a request of GET /search or GET /map, as routes.txt has it.
/// @throws Problem 400 for a mistake; Xapian::Error; as the analysis.
SearchAnswer search(const Xapian::Database& database, const Json& asked,
                    const SearchedIndex& index);

}  // namespace search_server
