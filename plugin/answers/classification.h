#pragma once

#include <xapian.h>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plugin/answers/related.h"

namespace kindred {

/// A tag and how sure the vote is of it, in [0, 1]: what that is, VoteKind says
/// (plugin/votes/tagging_method.h).
struct Tag {
  std::string label;
  double confidence = 0;
};

/// A document that voted.
struct Voter {
  std::string id;
  Xapian::docid docid = 0;
  float similarity = 0;
  std::vector<std::string> labels;
};

/// A neighbor that speaks for a tag.
struct TagVoter {
  std::size_t neighbor = 0;  ///< its place in Classification::neighbors
  double share = 0;          ///< its part of all neighbors' votes, in [0, 1]
};

/// Why a tag was given.
struct TagReason {
  std::string label;
  double threshold = 0;          ///< what its confidence had to reach; 0 where rank decided
  std::vector<TagVoter> voters;  ///< the neighbors that have the label, nearest first
  /// What made them near: each term's part of their similarities, weighted by their shares; the
  /// largest first, at most ten.
  std::vector<TermContribution> terms;
};

/// Where on the map of topics the vote "unit" was taken.
struct VotingUnit {
  std::uint32_t unit = 0;
  std::uint32_t topic = 0;      ///< number of its topic
  std::uint64_t documents = 0;  ///< the voters: those of the unit and around it
};

/// A label that got a score but was not given.
struct NearMiss {
  std::string label;
  double confidence = 0;
  double threshold = 0;  ///< that it would have had to reach; infinite if nothing reaches it
};

/// Which tags does this deserve? What is left open comes from the tuning of the index, if it has
/// one, else from the settings. A vote other than the tuned one takes nothing from the tuning but
/// the term weights; a threshold or rank given here holds for all labels.
struct ClassifyRequest {
  std::optional<std::int64_t> k;
  std::optional<double> threshold;
  std::optional<std::int64_t> max_labels;
  std::string filter;               ///< only documents that match this Xapian query vote; "" = all
  bool neighbors = false;           ///< fill Classification::neighbors
  bool scores = false;              ///< fill Classification::scores
  std::optional<std::string> vote;  ///< see classify.vote
  std::optional<double> similarity_power;  ///< of the vote "similarity"
  std::optional<double> min_similarity;    ///< neighbors below it do not vote
  std::optional<double> abstain;           ///< no tag if the best confidence is below
  std::optional<std::int64_t> rank_cut;    ///< 0: by threshold; else this many of the best labels
  std::string prototypes;  ///< Xapian query, for the vote "prototype"; "" = the settings' one
  bool explain = false;    ///< fill reasons, near_misses and neighbors
};

struct Classification {
  std::uint64_t revision = 0;
  std::vector<Tag> tags;    ///< confidence descending, then label ascending
  std::optional<Tag> best;  ///< the strongest label, also where it misses the threshold
  /// What the vote gave but people do not want there: rejected for this document, or it is to get
  /// no predicted tags. Ordered as tags.
  std::vector<Tag> withheld;
  std::vector<Voter> neighbors;  ///< the nearest voters; in the vote "unit" the k most similar
  std::vector<Tag> scores;  ///< all labels that got a vote, ordered as tags, whatever the limits
  std::vector<TagReason> reasons;     ///< one for each tag, in their order
  std::vector<NearMiss> near_misses;  ///< confidence descending, then label ascending
  std::optional<VotingUnit> unit;     ///< of the vote "unit", if it has a place on the map
};

/// How the documents of an index classify each other.
struct CrossValidation {
  /// 0: every document by all others (leave-one-out). From 2: that many parts of equal size (give
  /// or take one), and each document by those of the other parts. Parts that would be empty are
  /// none.
  std::int64_t folds = 0;
  std::uint64_t seed = 0;  ///< which parts: the same seed deals the same, on every machine
};

/// Told of a document that was classified: its true labels, in byte order, and what was predicted.
using OnClassified =
    std::function<void(const std::vector<std::string>& truth, const Classification& prediction)>;

}  // namespace kindred
