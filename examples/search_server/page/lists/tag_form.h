#pragma once

#include <set>
#include <string>

#include "page/html/html.h"
#include "page/html/page_context.h"

namespace search_server {

/// The fields of every form that changes tags: the document's "id", the address to come "back" to,
/// the "mark" of the tags that the reader sees, and these "shown" tags themselves, which tell later
/// what has changed since. `document` has "id", "etag", "labels" and perhaps "predicted".
Html tag_form_fields(const Json& document, const PageContext& context);

/// The names of tags, which have a confidence or are names themselves.
std::set<std::string> labels_in(const Json& tags);

}  // namespace search_server
