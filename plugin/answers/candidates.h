#pragma once

#include <xapian.h>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plugin/answers/classification.h"
#include "plugin/answers/shard_revisions.h"

namespace kindred {

/// Called after each batch with the documents that are classified so far and all that will be. If
/// it returns false, the search is canceled.
using CandidatesProgress = std::function<bool(std::uint64_t classified, std::uint64_t all)>;

/// Which documents to look for.
struct CandidatesRequest {
  std::string label;               ///< that the documents lack, as people gave it to others
  std::string filter;              ///< only documents that match this Xapian query; "" = all
  double min_confidence = 0;       ///< least confidence in the label, in [0, 1]
  std::int64_t limit = 20;         ///< at most this many documents
  bool include_predicted = false;  ///< also those that have the label as a predicted tag
  bool explain = false;            ///< fill Candidate::reason and neighbors
  CandidatesProgress on_progress;  ///< called in the calling thread. May be empty
};

/// A document that the label would suit.
struct Candidate {
  std::string id;
  Xapian::docid docid = 0;
  std::string title;
  double confidence = 0;               ///< in the label, as Engine::classify() has it; above 0
  std::vector<std::string> labels;     ///< that people gave it, in byte order
  std::vector<std::string> predicted;  ///< its predicted tags, in byte order
  TagReason reason;                    ///< why the vote is for the label
  std::vector<Voter> neighbors;        ///< the nearest voters, to which the reason refers
};

struct CandidateReport {
  std::uint64_t revision = 0;         ///< of the index that was asked
  ShardRevisions shards = nullptr;    ///< of its shards, if there are several
  std::uint64_t examined = 0;         ///< documents that match the filter and lack the label
  std::uint64_t found = 0;            ///< candidates, including those beyond the limit
  std::vector<Candidate> candidates;  ///< confidence descending, then docid ascending
};

}  // namespace kindred
