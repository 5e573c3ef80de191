#pragma once

#include <xapian.h>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "gpu/document_set.h"
#include "plugin/answers.h"
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
StoredDocuments read_documents(MirroredDatabase& database, const Snapshot& snapshot,
                               std::span<const Xapian::docid> docids, const Pulse& pulse = {});

/// Titles in the order of the docids; "" for a document that has none or was deleted.
/// @throws as MirroredDatabase::read().
std::vector<std::string> read_titles(MirroredDatabase& database,
                                     std::span<const Xapian::docid> docids,
                                     const Pulse& pulse = {});

/// The titles of documents that are named several times; each is read once.
class Titles {
 public:
  void add(Xapian::docid docid) {
    if (index_.emplace(docid, docids_.size()).second) docids_.push_back(docid);
  }
  /// After all were added. @throws as read_titles().
  void read(MirroredDatabase& database, const Pulse& pulse = {}) {
    titles_ = read_titles(database, docids_, pulse);
  }
  /// Of a document that was added, once they are read.
  const std::string& of(Xapian::docid docid) const { return titles_[index_.at(docid)]; }

 private:
  std::map<Xapian::docid, std::size_t> index_;
  std::vector<Xapian::docid> docids_;
  std::vector<std::string> titles_;
};

}  // namespace kindred
