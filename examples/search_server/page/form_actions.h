#pragma once

#include <string>

#include "http/request.h"
#include "http/response.h"
#include "page/api_calls.h"

namespace search_server {

// What the forms of the pages do. Each answers 303 back to the page, or to the sign-in page if the
// request may not write. Tags are answered with 204 if the script wants no page ("X-Fragment:
// none").

/// Fields as of tag_form_fields(); "accept", "remove" and "add" with labels. "change" with a label
/// that comes instead of the one in "replace". Answers 412 with a page that says what has changed,
/// if the document's tags are not those of "mark" any more. @throws Problem as
/// POST /documents/{id}/tags for the rest.
Response change_tags(const ApiCalls& api, const Request& request, PageContext context,
                     const Parameters& form);

/// "start" with a kind of job, or "cancel" with an id. @throws Problem as the routes of jobs.
Response change_jobs(const ApiCalls& api, const Request& request, const Parameters& form);

}  // namespace search_server
