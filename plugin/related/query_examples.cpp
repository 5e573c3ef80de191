#include "plugin/related/query_examples.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/error.h"
#include "plugin/mirror/filter/filter.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

/// Appends the documents that match a query best to `examples`, and clears it. `name`: of the
/// query, for messages.
void take_query(MirroredDatabase& database, const Snapshot& snapshot, std::int64_t top,
                const std::string& name, std::string& query, std::vector<Example>& examples) {
  if (query.empty()) return;
  const auto analyzer = database.analyzers().lease_for_query(query);
  std::vector<std::uint32_t> rows;
  database.read("cannot ask for examples", [&](const Xapian::Database& opened) {
    rows = best_matching_rows(opened, snapshot.mirror(), query, static_cast<std::size_t>(top),
                              database.settings(), *analyzer);
  });
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
