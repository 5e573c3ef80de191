#include "plugin/remote_query.h"

#include <string>
#include <vector>

#include "plugin/store/prefix.h"

namespace kindred {
namespace {

/// The document with a unique id, in either spelling of its term.
Xapian::Query with_id(const std::string& prefix, const std::string& id) {
  const std::string term = prefixed_term(prefix, id), other = colon_term(prefix, id);
  if (term == other || prefix.size() == 1) return Xapian::Query(term);
  return Xapian::Query(Xapian::Query::OP_OR, Xapian::Query(term), Xapian::Query(other));
}

}  // namespace

Xapian::Query remote_query(const Engine& engine, const Neighborhood& neighborhood) {
  std::vector<Xapian::Query> documents;
  for (const auto& [docid, similarity] : neighborhood.documents) {
    const std::string id = engine.id_of(docid);
    if (engine.docid_of(id) != docid) continue;
    auto* const weight = new Xapian::FixedWeightPostingSource(similarity);
    documents.emplace_back(Xapian::Query::OP_FILTER, Xapian::Query(weight->release()),
                           with_id(engine.settings().index.id_prefix, id));
  }
  return {Xapian::Query::OP_OR, documents.begin(), documents.end()};
}

}  // namespace kindred
