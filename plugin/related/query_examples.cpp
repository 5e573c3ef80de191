#include "plugin/related/query_examples.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/error.h"
#include "plugin/snapshot/document_lists.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

/// Appends the documents that match a query best to `examples`, and clears it. `name`: of the
/// query, for messages.
void take_query(MirroredDatabase& database, const Snapshot& snapshot, std::int64_t top,
                const std::string& name, std::string& query, std::vector<Example>& examples) {
  if (query.empty()) return;
  const std::vector<std::uint32_t> rows =
      best_rows(database, snapshot, query, static_cast<std::size_t>(top));
  if (rows.empty())
    throw Error(Errc::kNotFound,
                name + ": no document matches '" + query + "', so it gives no example");
  for (const std::uint32_t row : rows) examples.emplace_back(Docid{snapshot.docid_of(row)});
  query.clear();
}

}  // namespace

RelatedRequest with_query_examples(MirroredDatabase& database, const Snapshot& snapshot,
                                   RelatedRequest request) {
  if (request.query_top < 1) throw Error(Errc::kInvalidArgument, "query_top: expected at least 1");
  take_query(database, snapshot, request.query_top, "like_query", request.like_query, request.like);
  take_query(database, snapshot, request.query_top, "unlike_query", request.unlike_query,
             request.unlike);
  return request;
}

}  // namespace kindred
