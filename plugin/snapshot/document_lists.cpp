#include "plugin/snapshot/document_lists.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "config/error.h"
#include "plugin/documents/document_tags.h"
#include "plugin/input/document_data.h"
#include "plugin/query/filter.h"
#include "plugin/snapshot/example_query.h"
#include "plugin/store/database.h"

namespace kindred {
namespace {

std::string read_title(const Xapian::Database& database, Xapian::docid docid,
                       const IndexSettings& settings) {
  try {
    return document_heading(database.get_document(docid), settings);
  } catch (const Xapian::DocNotFoundError&) {
    return "";
  }
}

/// Of a document that was deleted since, or whose terms the index does not keep: what the mirror
/// has.
StoredDocument read_document(const Xapian::Database& database, const Snapshot& snapshot,
                             Xapian::docid docid, const Settings& settings) {
  try {
    const Xapian::Document document = database.get_document(docid);
    StoredTags tags = read_tags(document, settings, docid);
    settle_limits(tags, settings.labels);
    add_shard_label(snapshot.mirror().shard_label_of(docid), tags);
    return stored_document(document, std::move(tags), settings.index, docid);
  } catch (const Xapian::DocNotFoundError&) {
    StoredDocument gone;
    gone.id = snapshot.mirror().id_of(docid);
    gone.docid = docid;
    gone.title = read_title(database, docid, settings.index);
    gone.labels = snapshot.mirror().label_names_of(docid);
    return gone;
  }
}

}  // namespace

std::vector<Xapian::docid> best_documents(MirroredDatabase& database, const Snapshot& snapshot,
                                          const std::string& query, std::size_t limit,
                                          const Pulse& pulse) {
  const auto analyzer = database.analyzers().lease_for_query(query);
  const auto search = [&](const Xapian::Database& opened) {
    return best_matching(opened, snapshot.mirror(), snapshot.vocabulary().get(), query, limit,
                         database.settings(), *analyzer, pulse);
  };
  return database.read("cannot search", search, pulse);
}

MatchingDocuments list_matching(const Snapshot& snapshot, const MatchingRequest& request,
                                const DocumentSet* matching) {
  if (request.offset < 0) throw Error(Errc::kInvalidArgument, "offset: expected at least 0");
  if (request.limit && *request.limit < 1)
    throw Error(Errc::kInvalidArgument, "limit: expected at least 1");

  const Mirror& mirror = snapshot.mirror();
  std::vector<Xapian::docid> found =
      matching != nullptr ? matching->numbers() : mirror.list->numbers();
  // A caller that goes on after a docid has seen the documents before it: they do not count again.
  found.erase(found.begin(), std::ranges::upper_bound(found, request.after));

  const auto begin = static_cast<std::size_t>(request.offset);
  std::size_t end = found.size();
  if (request.limit) end = std::min(end, begin + static_cast<std::size_t>(*request.limit));

  MatchingDocuments list;
  static_cast<Origin&>(list) = mirror.origin();
  list.found = found.size();
  for (std::size_t i = begin; i < end; ++i) list.docids.push_back(found[i]);
  return list;
}

api::DocumentsAnswer read_documents(MirroredDatabase& database, const Snapshot& snapshot,
                                    std::span<const Xapian::docid> docids, const Pulse& pulse) {
  const auto read = [&](const Xapian::Database& source) {
    api::DocumentsAnswer stored = {{revision_of(source)}, {}};
    for (const Xapian::docid docid : docids) {
      pulse();
      stored.documents.push_back(read_document(source, snapshot, docid, database.settings()));
    }
    return stored;
  };
  return database.read("cannot read the tags of documents", read, pulse);
}

std::vector<std::string> read_titles(MirroredDatabase& database,
                                     std::span<const Xapian::docid> docids, const Pulse& pulse) {
  const auto read = [&](const Xapian::Database& source) {
    std::vector<std::string> titles;
    for (const Xapian::docid docid : docids) {
      pulse();
      titles.push_back(read_title(source, docid, database.settings().index));
    }
    return titles;
  };
  return database.read("cannot read titles", read, pulse);
}

std::optional<std::uint64_t> next_offset(std::int64_t offset, std::size_t page,
                                         std::uint64_t found) {
  const std::uint64_t end = static_cast<std::uint64_t>(offset) + page;
  return page > 0 && end < found ? std::optional(end) : std::nullopt;
}

}  // namespace kindred
