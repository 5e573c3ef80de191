// Similarity as a weight in a Xapian query, for databases that other machines serve. A KnnSource
// needs a server that has registered that class; this query is made of what every server knows,
// xapian-tcpsrv included.
#pragma once

#include <xapian.h>
#include <string>
#include <utility>
#include <vector>

/// For each pair of a unique id and a similarity, as Engine::related() finds them, the documents
/// with that id, with the similarity as their weight. `prefix` is the setting index.id_prefix. The
/// query takes about 100 bytes and two posting lists for each document. For one thread.
///
///     Xapian::Query query(Xapian::Query::OP_OR, words, remote_query("Q", similar));
inline Xapian::Query remote_query(const std::string& prefix,
                                  const std::vector<std::pair<std::string, double>>& similar) {
  std::vector<Xapian::Query> documents;
  for (const auto& [id, similarity] : similar) {
    auto* const weight = new Xapian::FixedWeightPostingSource(similarity);
    // An id that begins with a capital stands behind a colon if the prefix is a long one.
    const Xapian::Query either(Xapian::Query::OP_OR, Xapian::Query(prefix + id),
                               Xapian::Query(prefix + ":" + id));
    documents.emplace_back(Xapian::Query::OP_FILTER, Xapian::Query(weight->release()), either);
  }
  return {Xapian::Query::OP_OR, documents.begin(), documents.end()};
}
