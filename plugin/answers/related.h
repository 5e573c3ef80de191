#pragma once

#include <xapian.h>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "plugin/answers/shard_revisions.h"
#include "plugin/input/record.h"

namespace kindred {

/// A document of the index by its Xapian docid.
struct Docid {
  Xapian::docid value = 0;
};
/// A document of the index by its unique id.
struct UniqueId {
  std::string value;
};
/// Something to compare with: a document of the index, or a record that need not be in it.
using Example = std::variant<UniqueId, Docid, Record>;

/// Which documents are like these? Members that are not set come from the settings.
struct RelatedRequest {
  std::vector<Example> like;    ///< one or more; their unit vectors are averaged
  std::vector<Example> unlike;  ///< counter-examples (Rocchio): pushed away, never results
  std::int64_t k = 10;          ///< at most this many results, at least 1
  double threshold = 0;         ///< least similarity, in [0, 1]
  std::string filter;           ///< only documents that match this Xapian query; "" = all
  bool explain = false;         ///< fill Related::terms
  bool titles = true;           ///< fill Related::title as Engine::titles() does
  /// Xapian queries, written as filters. Of the documents that match, the best by BM25 are
  /// examples, or counter-examples, besides those above. "": none.
  std::string like_query, unlike_query;
  std::int64_t query_top = 10;  ///< how many documents each query gives, at most
  /// Folds near-duplicates: results that pairs of at least this similarity connect (single linkage)
  /// are one result, in [0, 1]. 0: off.
  double fold = 0;
};

/// A shared term and its part of the similarity.
struct TermContribution {
  std::string term;  ///< as the index spells it, prefix included
  double contribution = 0;
};

/// A result that is a near-duplicate of a better one.
struct FoldedDocument {
  Xapian::docid docid = 0;
  std::string id;
  float similarity = 0;  ///< to the examples, as that of a result
};

struct Related {
  Xapian::docid docid = 0;
  std::string id;
  std::string title;
  float similarity = 0;                 ///< cosine or dot product, in [0, 1]
  std::vector<TermContribution> terms;  ///< largest first; they add up to the similarity
  std::vector<FoldedDocument> folded;   ///< with RelatedRequest::fold, in the order of results
};

struct RelatedResult {
  std::uint64_t revision = 0;       ///< of the index that was asked
  ShardRevisions shards = nullptr;  ///< of its shards, if there are several
  std::vector<Related> results;     ///< similarity descending, then docid ascending
};

/// A document and its similarity.
struct SimilarDocument {
  Xapian::docid docid = 0;
  float similarity = 0;  ///< as Related::similarity, in [0, 1]
};

/// The documents that are most similar to examples, as KnnSource takes them.
struct Neighborhood {
  std::uint64_t revision = 0;              ///< as RelatedResult::revision
  std::vector<std::string> shards;         ///< the UUIDs of the database's shards, in their order
  std::vector<SimilarDocument> documents;  ///< docid ascending
};

}  // namespace kindred
