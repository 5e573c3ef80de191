#pragma once

#include <string>

#include "page/html/page_context.h"

namespace search_server {

// Pages from the JSON of the API. Each returns HTML in UTF-8, whole or a fragment, in which nothing
// of the JSON is markup. Safe from many threads.

/// `answer`: of GET /search.
std::string render_search(const Json& answer, const PageContext& context);

/// `document`: of GET /documents/{id} with its text. `related`: of GET /documents/{id}/related with
/// terms. `reasons`: of POST /classify for the document; null if there are none.
std::string render_document(const Json& document, const Json& related, const Json& reasons,
                            const PageContext& context);

/// For who decides about tags that are not those of the document any more: what has changed since,
/// the tags as they are, and the same decision once more. `form`: the fields that were sent.
/// `document`: of GET /documents/{id}.
std::string render_conflict(const Json& document, const Parameters& form,
                            const PageContext& context);

/// What somebody tries out. `reasons` and `related` are null at first.
struct Trial {
  std::string text;
  Json reasons;  ///< of POST /classify
  Json related;  ///< of POST /related
};
std::string render_try(const Trial& trial, const PageContext& context);

/// `map`: of GET /map; null if there is none. `found`: of GET /search with the filters of the page;
/// null if it has none.
std::string render_explore(const Json& map, const Json& found, const PageContext& context);

/// `answer`: of GET /suspects.
std::string render_review(const Json& answer, const PageContext& context);

/// `labels`: of GET /labels. `candidates`: of GET /labels/{label}/candidates; null if no label is
/// chosen.
std::string render_label(const Json& labels, const Json& candidates, const PageContext& context);

/// `answer`: of GET /duplicates.
std::string render_copies(const Json& answer, const PageContext& context);

/// `status`: of GET /status. `jobs`: of GET /jobs.
std::string render_about(const Json& status, const Json& jobs, const PageContext& context);

/// The form for the token for writing. `refused`: it was wrong.
std::string render_sign_in(bool refused, const PageContext& context);

/// A refusal as RFC 9457 has it.
std::string render_problem(const Json& problem, const PageContext& context);

}  // namespace search_server
