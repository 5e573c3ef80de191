#pragma once

#include <xapian.h>
#include <functional>

#include "config/settings.h"
#include "plugin/documents/document_tags.h"
#include "plugin/documents/stored_document.h"
#include "plugin/history/tag_history.h"

namespace kindred {

/// Changes the tags of a document by change(tags), and writes it if they are others then, which it
/// adds to `changes`. Returns what it holds.
/// @throws Error kInvalidArgument if it would have more labels than labels.max_per_document;
/// Xapian::Error.
StoredDocument edit_document(Xapian::WritableDatabase& database, const Settings& settings,
                             Xapian::docid docid, const std::function<void(StoredTags&)>& change,
                             HistoryBatch& changes);

/// What body() writes is committed at once.
template <typename Body>
void in_transaction(Xapian::WritableDatabase& database, Body&& body) {
  database.begin_transaction();
  body();
  database.commit_transaction();
}

}  // namespace kindred
