#pragma once

#include <xapian.h>
#include <cstdint>
#include <string>
#include <vector>

namespace kindred {

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
