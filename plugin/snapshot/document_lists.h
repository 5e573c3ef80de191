#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/document_set.h"
#include "plugin/answers.h"
#include "plugin/requests.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {

/// The part of the documents that the request wants, without titles. `matching`: those that
/// match its query; null: all.
/// @throws Error kInvalidArgument (offset < 0, limit < 1).
MatchingDocuments list_matching(const Snapshot& snapshot, const MatchingRequest& request,
                                const DocumentSet* matching);

/// The documents that match a query best, in the order of Xapian's ranks, at most `limit`.
/// @throws Error kInvalidArgument if it does not parse; as MirroredDatabase::read().
std::vector<Xapian::docid> best_documents(MirroredDatabase& database, const Snapshot& snapshot,
                                          const std::string& query, std::size_t limit,
                                          const Pulse& pulse = {});

/// What documents hold about their tags, in the order of `docids`. Of a document that was deleted
/// since the snapshot was made: the labels that the mirror has. @throws as
/// MirroredDatabase::read().
api::DocumentsAnswer read_documents(MirroredDatabase& database, const Snapshot& snapshot,
                                    std::span<const Xapian::docid> docids, const Pulse& pulse = {});

/// Titles in the order of the docids; "" for a document that has none or was deleted.
/// @throws as MirroredDatabase::read().
std::vector<std::string> read_titles(MirroredDatabase& database,
                                     std::span<const Xapian::docid> docids,
                                     const Pulse& pulse = {});

/// The `offset` that goes on behind a page of so many of a list; nothing at its end.
std::optional<std::uint64_t> next_offset(std::int64_t offset, std::size_t page,
                                         std::uint64_t found);

}  // namespace kindred
