#pragma once

#include <xapian.h>
#include <cstdint>
#include <functional>
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
  bool scores = false;     ///< fill Classification::scores
};

struct Classification {
  std::uint64_t revision = 0;
  std::vector<Tag> tags;    ///< confidence descending, then label ascending
  std::optional<Tag> best;  ///< the strongest label, also where it misses the threshold
  /// What the vote gave but people do not want there: rejected for this document, or it is to get
  /// no predicted tags. Ordered as tags.
  std::vector<Tag> withheld;
  std::vector<Voter> neighbors;
  std::vector<Tag> scores;  ///< all labels that got a vote, ordered as tags, whatever the limits
};

/// How the documents of an index classify each other.
struct CrossValidation {
  /// 0: every document by all others (leave-one-out). From 2: in so many parts of equal size (give
  /// or take one), each document by those of the other parts; parts that would be empty are none.
  std::int64_t folds = 0;
  std::uint64_t seed = 0;  ///< which parts: the same seed deals the same, on every machine
};

/// Told of a document that was classified: its true labels, in byte order, and what was predicted.
using OnClassified =
    std::function<void(const std::vector<std::string>& truth, const Classification& prediction)>;

}  // namespace kindred
