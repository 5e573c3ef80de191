#pragma once

#include <xapian.h>
#include <cstdint>
#include <string>
#include <vector>

namespace kindred {

/// A document and its similarity.
struct SimilarDocument {
  Xapian::docid docid = 0;
  float similarity = 0;  ///< cosine or dot product, in (0, 1]
};

/// The documents that are most similar to examples, as KnnSource takes them.
struct Neighborhood {
  std::uint64_t revision = 0;              ///< of the index that was asked, as Origin::revision
  std::vector<std::string> shards;         ///< the UUIDs of the database's shards, in their order
  std::vector<SimilarDocument> documents;  ///< docid ascending
};

}  // namespace kindred
