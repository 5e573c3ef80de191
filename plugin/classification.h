#pragma once

#include <xapian.h>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kindred {

/// A tag and how sure the vote is of it: the label's share of the summed similarities, in [0, 1].
struct Tag {
  std::string label;
  double confidence = 0;
};

/// A labeled document that voted.
struct Voter {
  std::string id;
  Xapian::docid docid = 0;
  float similarity = 0;
  std::vector<std::string> labels;
};

/// Which tags does this deserve? Defaults come from the settings.
struct ClassifyRequest {
  std::optional<std::int64_t> k;
  std::optional<double> threshold;
  std::optional<std::int64_t> max_labels;
  std::string filter;      ///< only documents that match this Xapian query vote; "" = all
  bool neighbors = false;  ///< fill Classification::neighbors
};

struct Classification {
  std::uint64_t revision = 0;
  std::vector<Tag> tags;    ///< confidence descending, then label ascending
  std::optional<Tag> best;  ///< the strongest label, also where it misses the threshold
  std::vector<Voter> neighbors;
};

}  // namespace kindred
