#pragma once

#include <xapian.h>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plugin/answers/related.h"
#include "plugin/answers/shard_revisions.h"

namespace kindred {

/// A tag, and how sure the vote is of it, in [0, 1]. VoteKind (plugin/votes/votes.h)
/// defines the confidence of each vote.
struct Tag {
  std::string label;
  double confidence = 0;
};

/// A document that voted, as an answer shows it.
struct Voter {
  std::string id;
  Xapian::docid docid = 0;
  float similarity = 0;
  std::vector<std::string> labels;
};

/// A neighbor that votes for a tag.
struct TagVoter {
  std::size_t neighbor = 0;  ///< its place in Classification::neighbors
  double share = 0;          ///< its part of the votes of all neighbors, in [0, 1]
};

/// Why a tag was given.
struct TagReason {
  std::string label;
  double threshold = 0;          ///< that its confidence had to reach; 0 if its rank decided
  std::vector<TagVoter> voters;  ///< the neighbors that have the label, nearest first
  /// The terms that make the voters similar: the part of each term in their similarities, weighted
  /// by their shares. At most ten, the largest first.
  std::vector<TermContribution> terms;
};

/// The unit of the map of topics where the vote "unit" was taken.
struct VotingUnit {
  std::uint32_t unit = 0;
  std::uint32_t topic = 0;      ///< number of its topic
  std::uint64_t documents = 0;  ///< how many documents voted: those in the unit and around it
};

/// A label that got a score but was not given.
struct NearMiss {
  std::string label;
  double confidence = 0;
  double threshold = 0;  ///< that its confidence had to reach; infinite if nothing reaches it
};

/// Which tags does this deserve? Members that are not set come from the tuning of the index, if it
/// has one, else from the settings. A vote other than the tuned one uses only the term weights of
/// the tuning. A threshold given here holds for all labels.
struct ClassifyRequest {
  std::optional<std::int64_t> k;
  std::optional<double> threshold;
  std::optional<std::int64_t> max_labels;
  std::string filter;               ///< only documents that match this Xapian query vote; "" = all
  bool neighbors = false;           ///< fill Classification::neighbors
  bool scores = false;              ///< fill Classification::scores
  std::optional<std::string> vote;  ///< as the setting classify.vote
  std::optional<double> min_similarity;  ///< neighbors below it do not vote
  std::string prototypes;  ///< Xapian query, for the vote "prototype"; "" = the settings' one
  bool explain = false;    ///< fill reasons, near_misses and neighbors
};

struct Classification {
  std::uint64_t revision = 0;
  ShardRevisions shards = nullptr;  ///< of its shards, if there are several
  std::vector<Tag> tags;            ///< confidence descending, then label ascending
  std::optional<Tag> best;          ///< the strongest label, even if it misses the threshold
  /// Tags that the vote gave, but that people rejected for this document, or all if it opted out.
  /// Ordered as tags.
  std::vector<Tag> withheld;
  std::vector<Voter> neighbors;  ///< in the vote "unit" the k most similar voters
  std::vector<Tag> scores;       ///< all labels that got a vote, ordered as tags, without any limit
  std::vector<TagReason> reasons;     ///< one for each tag, in their order
  std::vector<NearMiss> near_misses;  ///< confidence descending, then label ascending
  std::optional<VotingUnit> unit;     ///< in the vote "unit", if the document is on the map
};

/// How the documents of an index classify each other.
struct CrossValidation {
  /// 0: each document is classified by all others (leave-one-out). 2 or more: the documents are
  /// divided into this many parts, whose sizes differ by at most one, and each document is
  /// classified by the other parts. If there are fewer documents than parts, the empty parts are
  /// left out.
  std::int64_t folds = 0;
  std::uint64_t seed = 0;  ///< of the division: the same seed gives the same parts on any machine
};

/// Called for each document that was classified, with its true labels in byte order, and with what
/// was predicted.
using OnClassified =
    std::function<void(const std::vector<std::string>& truth, const Classification& prediction)>;

/// What people have said about the predicted tags of one document.
struct TagLimits {
  bool auto_tag = true;               ///< false: the document gets none
  std::vector<std::string> rejected;  ///< tags that the document must not get

  bool operator==(const TagLimits&) const = default;
};

}  // namespace kindred
