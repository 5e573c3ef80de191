#pragma once

#include <xapian.h>
#include <cstdint>
#include <string>
#include <vector>

#include "plugin/answers/classification.h"

namespace kindred {

/// A document whose labels its neighborhood does not bear out. The vote is the one that gives tags,
/// with the same neighbors, voters (prototypes, the tuning's filter), weights and confidences. A
/// tuned blend looks at whole labels, too, so the neighbors shown may not explain all of a margin.
struct Suspect {
  std::string id;
  Xapian::docid docid = 0;
  std::vector<std::string> labels;  ///< that it has, in byte order
  Tag weakest;    ///< the label of its own with the smallest share of the vote, and that share
  Tag strongest;  ///< the label that it lacks with the largest share
  std::vector<Voter> neighbors;  ///< the nearest voters: the reasons

  double margin() const { return strongest.confidence - weakest.confidence; }
};

/// Which documents are looked for.
struct SuspectsRequest {
  std::int64_t limit = 20;  ///< at most this many
  std::string filter;       ///< only documents that match this Xapian query vote; "" = all
};

}  // namespace kindred
