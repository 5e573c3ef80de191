#pragma once

#include <xapian.h>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

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
  std::optional<std::int64_t> k;
  std::optional<double> threshold;  ///< least similarity, in [0, 1]
  std::string filter;               ///< only documents that match this Xapian query; "" = all
  bool explain = false;             ///< fill Related::terms
};

/// A shared term and its part of the similarity.
struct TermContribution {
  std::string term;  ///< as the index spells it, prefix included
  double contribution = 0;
};

struct Related {
  Xapian::docid docid = 0;
  std::string id;
  std::string title;
  float similarity = 0;                 ///< cosine, in [0, 1]
  std::vector<TermContribution> terms;  ///< largest first; they add up to the similarity
};

struct RelatedResult {
  std::uint64_t revision = 0;    ///< of the index that was asked
  std::vector<Related> results;  ///< similarity descending, then docid ascending
};

}  // namespace kindred
