#pragma once

#include <xapian.h>

#include "config/settings.h"
#include "plugin/answers/documents.h"
#include "plugin/documents/document_tags.h"

namespace kindred {

/// What a document that holds `tags` says about them. Expects settle_limits() before. The title is
/// read from the document. @throws Xapian::Error.
StoredDocument stored_document(const Xapian::Document& document, StoredTags tags,
                               const IndexSettings& settings);

}  // namespace kindred
