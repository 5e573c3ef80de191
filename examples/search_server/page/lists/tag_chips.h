#pragma once

#include "page/html/html.h"
#include "page/html/page_context.h"

namespace search_server {

/// The tags of a document, those of people before those of Kindred, as one form: each tag leads to
/// its documents, and can be accepted or removed if the reader may write. `document` has "id",
/// "etag", "labels" and "predicted".
Html tag_chips(const Json& document, const PageContext& context);

/// A chip of a label that people gave, without buttons.
Html label_chip(std::string_view label);
/// The chips of a list of labels.
Html label_chips(const Json& labels);
/// A chip of a predicted label with its confidence in [0, 1], without buttons.
Html predicted_chip(std::string_view label, double confidence);

/// A form that adds a label to a document. `classification`: its labels are suggested; may be null.
Html add_tag_form(const Json& document, const Json& classification, const PageContext& context);

}  // namespace search_server
