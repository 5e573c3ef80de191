#pragma once

#include <xapian.h>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/row_set.h"
#include "plugin/answers/documents.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {

/// The part of the documents that the request wants, without titles. `matching`: the rows that
/// match its query; null: all.
/// @throws Error kInvalidArgument (offset < 0, limit < 1).
MatchingDocuments list_matching(const Snapshot& snapshot, const MatchingRequest& request,
                                const RowSet* matching);

/// What documents hold about their tags, in the order of `rows`. Of a document that was deleted
/// since the snapshot was made: the labels that the mirror has. @throws as
/// MirroredDatabase::read().
StoredDocuments read_documents(MirroredDatabase& database, const Snapshot& snapshot,
                               std::span<const std::uint32_t> rows);

/// Titles in the order of the docids; "" for a document that has none or was deleted.
/// @throws as MirroredDatabase::read().
std::vector<std::string> read_titles(MirroredDatabase& database,
                                     std::span<const Xapian::docid> docids);

}  // namespace kindred
