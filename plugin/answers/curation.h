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

/// A document whose labels and the vote differ in one label. The vote is the one that gives tags,
/// with the same neighbors, voters (prototypes, the filter of the tuning), weights and confidences.
/// A tuned blend also compares with whole labels, so the neighbors shown may not explain all of it.
struct Suspect {
  std::string id;
  Xapian::docid docid = 0;
  std::string title;                ///< or its first words, see Engine::titles()
  std::vector<std::string> labels;  ///< that it has, in byte order
  Tag label;                        ///< that it lacks, or that it seems to have by mistake
  Tag rival;  ///< of a wrong label: one that it would be given, and that excludes it
  std::vector<Tag> proposed;                 ///< that it would be given, as Classification::tags
  std::vector<TagReason> reasons;            ///< one for each of these tags, in their order
  std::vector<Voter> neighbors;              ///< the nearest voters, to which the reasons refer
  std::vector<std::string> neighbor_titles;  ///< of the neighbors, in their order
};

/// A part of the suspects.
struct SuspectList {
  std::uint64_t found = 0;        ///< in all
  std::uint64_t clear = 0;        ///< of these, with a confidence of at least .95
  std::vector<Suspect> suspects;  ///< the clearest first, then by docid
};

/// Called after each batch with the documents that are classified so far and all that will be. If
/// it returns false, the search is canceled.
using SuspectsProgress = std::function<bool(std::uint64_t classified, std::uint64_t all)>;

/// Which suspects to look for.
struct SuspectsRequest {
  std::int64_t limit = 20;  ///< at most this many of each list
  std::int64_t after = 0;   ///< without this many of the first
  std::string query;   ///< only documents that match this Xapian query are asked about; "" = all
  std::string filter;  ///< only documents that match this Xapian query vote; "" = all
  SuspectsProgress on_progress;  ///< called in the calling thread. May be empty
};

struct SuspectReport {
  std::uint64_t revision = 0;       ///< of the index that was asked
  std::uint64_t examined = 0;       ///< documents that match the query and have a label
  SuspectList missing;              ///< labels that documents lack
  SuspectList wrong;                ///< labels that documents seem to have by mistake
  ShardRevisions shards = nullptr;  ///< of its shards, if there are several
};

/// Called after each batch, in the calling thread, with the documents whose nearest neighbor is
/// found so far and all that there are. If it returns false, the measurement is canceled.
using GeometryProgress = std::function<bool(std::uint64_t measured, std::uint64_t all)>;

/// How far the documents of each label are from each other and from those of other labels, in
/// cosine space. The squared distance of two documents is d^2 = |x - y|^2 = 2 - 2 cos(x, y), from 0
/// to 2. Made of the labeled documents that have a feature. A document with several labels counts
/// for each.
struct ClassGeometry {
  std::vector<std::string> labels;       ///< in byte order
  std::vector<std::uint64_t> documents;  ///< of each label

  /// [labels][labels]: mean of d^2 over all pairs of different documents, one of each label. On the
  /// diagonal, both are of the same label. NaN where there is no pair.
  std::vector<std::vector<double>> mean_square_distance;

  /// [labels][labels + 1]: counts of documents by the label (row) of the document and the labels
  /// (column) of the nearest other labeled document. A document of label a counts in column a if
  /// its nearest has a, too; if not, in the column of each label of its nearest. The last column
  /// counts documents that are similar to no other.
  std::vector<std::vector<std::uint64_t>> nearest;

  double intra = 0;            ///< mean of the diagonal, NaN if no label has two documents
  double inter = 0;            ///< mean of the other entries, NaN if there are none
  double informativeness = 0;  ///< inter / intra: the larger, the better labels are told apart
};

}  // namespace kindred
