#pragma once

#include "page/html/html.h"
#include "page/html/page_context.h"

namespace search_server {

/// Tags with the documents and the words that speak for them, and those that just missed.
/// `classification`: of POST /classify.
Html reasons_list(const Json& classification);

/// Documents that vote for a tag, with their shares of the vote, at most `shown`.
Html voters_list(const Json& voters, std::size_t shown);

}  // namespace search_server
