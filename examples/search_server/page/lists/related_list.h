#pragma once

#include "page/html/html.h"
#include "page/html/page_context.h"

namespace search_server {

/// Related documents with their similarity, and the words that make them near. `answer`: of
/// GET /documents/{id}/related or POST /related with terms.
Html related_list(const Json& answer);

}  // namespace search_server
