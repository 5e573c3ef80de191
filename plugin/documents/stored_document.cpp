#include "plugin/documents/stored_document.h"

#include <utility>

#include "plugin/profile/document_names.h"

namespace kindred {

StoredDocument stored_document(const Xapian::Document& document, StoredTags tags,
                               const IndexSettings& settings) {
  StoredDocument stored;
  stored.docid = document.get_docid();
  stored.title = document_title(document, settings);
  stored.data = document.get_data();
  stored.predicted = predicted_tags(tags);
  stored.auto_tag = tags.limits.auto_tag;
  stored.pending = tags.pending;
  stored.id = std::move(tags.id);
  stored.labels = std::move(tags.labels);
  stored.rejected = std::move(tags.limits.rejected);
  return stored;
}

}  // namespace kindred
