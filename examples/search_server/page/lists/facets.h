#pragma once

#include "page/html/html.h"
#include "page/html/page_context.h"
#include "page/html/search_state.h"

namespace search_server {

/// The filters in use as chips that take them away; nothing without filters. `facets` names the
/// topics. On another page than that for searching, so are the words.
Html filter_chips(const Json& facets, const SearchState& state, Path page);

/// What the documents that match can be narrowed by, with counts. `facets`: of GET /search.
Html facet_lists(const Json& facets, const SearchState& state);

}  // namespace search_server
