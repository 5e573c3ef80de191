#pragma once

#include <xapian.h>
#include <functional>
#include <memory>

#include "config/pulse.h"
#include "config/settings.h"
#include "plugin/input/analyzer_pool.h"
#include "plugin/questions.h"
#include "plugin/search/facets.h"

namespace kindred {

class Snapshot;
struct TopicMap;

/// What a search needs of an index besides its database. All is borrowed.
struct SearchIndex {
  const std::shared_ptr<const Snapshot>& snapshot;
  const Settings& settings;
  AnalyzerPool& analyzers;
  FacetShelf& facets;
  std::function<std::shared_ptr<const TopicMap>()> topic_map;  ///< null, or an Error: no names
};

/// Answers the question "search" on one revision: a page of ranked documents with snippets, facets
/// and the query put right, or whole documents by their ids. The answer's origin is left empty.
/// @param matcher_pulse of Xapian's matcher, which may have none
/// @throws Error kInvalidArgument for a query, a value or an order that is none; kNotFound for an
/// id; Xapian::Error.
api::SearchAnswer search(const SearchIndex& index, const Xapian::Database& database,
                         const api::SearchRequest& request, const Pulse& pulse,
                         const Pulse& matcher_pulse);

}  // namespace kindred
