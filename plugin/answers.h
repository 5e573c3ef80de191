#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/term_bag.h"
#include "config/pulse.h"
#include "plugin/questions.h"

namespace kindred {

using api::NearMiss;
using api::VotingUnit;

/// Called now and then while a database is read for the first time, in the thread that opens it,
/// with the postings of its features that are read so far and all that there are. If it must be
/// read again, because a writer has committed meanwhile, it begins again at 0. What it throws is
/// passed on.
using ReadingProgress = std::function<void(std::uint64_t read, std::uint64_t all)>;

/// Which documents are like these? Its queries are written as filters, and the best by BM25 of the
/// documents that match are examples. `fold` connects results by pairs (single linkage). `each` is
/// for Engine::related_each() alone.
struct RelatedRequest : api::RelatedRequest {
  Pulse pulse = {};  ///< of whoever asks, in the calling thread
};

/// A shared term and its part of the similarity.
struct TermContribution {
  std::string term;  ///< as the index spells it, prefix included
  double contribution = 0;
};

/// A result that is a near-duplicate of a better one.
struct FoldedDocument {
  Xapian::docid docid = 0;
  std::string id;
  float similarity = 0;  ///< to the examples, as that of a result
};

struct Related {
  Xapian::docid docid = 0;
  std::string id;
  std::string title;
  float similarity = 0;                 ///< cosine or dot product, in [0, 1]
  std::vector<std::string> labels;      ///< that people gave, in byte order
  std::vector<TermContribution> terms;  ///< largest first; they add up to the similarity
  std::vector<FoldedDocument> folded;   ///< with RelatedRequest::fold, in the order of results
};

struct RelatedResult : Origin {
  std::vector<Related> results;  ///< similarity descending, then docid ascending
};

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

/// A document that voted, as an answer shows it.
struct Voter {
  std::string id;
  Xapian::docid docid = 0;
  float similarity = 0;
  std::vector<std::string> labels;
};

/// A voter for a tag.
struct TagVoter {
  std::size_t voter = 0;  ///< its place in Classification::voters
  double share = 0;       ///< its part of the votes of all voters, in [0, 1]
};

/// Why a tag was given.
struct TagReason {
  std::string label;
  double threshold = 0;          ///< that its confidence had to reach; 0 if its rank decided
  std::vector<TagVoter> voters;  ///< those that have the label, nearest first
  /// The terms that make the voters similar: the part of each term in their similarities, weighted
  /// by their shares. At most ten, the largest first.
  std::vector<TermContribution> terms;
};

/// Which tags does this deserve? Members that are not set come from the tuning of the index, if it
/// has one, else from the settings. A vote other than the tuned one uses only the term weights of
/// the tuning. A min_confidence given here holds for all labels.
struct ClassifyRequest : api::Voting {
  std::optional<std::int64_t> limit;  ///< at most this many tags
  std::string filter;    ///< only documents that match this Xapian query vote; "" = all
  bool voters = false;   ///< fill Classification::voters
  bool scores = false;   ///< fill Classification::scores
  bool explain = false;  ///< fill reasons, near_misses and voters
  Pulse pulse = {};      ///< of whoever asks, in the calling thread
};

struct Classification : Origin {
  std::vector<Tag> tags;    ///< confidence descending, then label ascending
  std::optional<Tag> best;  ///< the strongest label, even if it misses the threshold
  /// Tags that the vote gave, but that people rejected for this document, or all if it opted out.
  /// Ordered as tags.
  std::vector<Tag> withheld;
  std::vector<Voter> voters;  ///< the nearest; in the vote "unit" the most similar ones
  std::vector<Tag> scores;    ///< all labels that got a vote, ordered as tags, without any limit
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

/// Called with what is being done, and with the number of documents that are done so far, in the
/// thread that tunes. If it throws, it is not called again, and the tuning throws that.
using OnTuning = std::function<void(const std::string& doing, std::uint64_t documents)>;

/// Which documents match a query, as a list.
struct MatchingRequest {
  std::string query;       ///< a Xapian query, written as a filter; "" = all
  bool documents = false;  ///< fill MatchingDocuments::documents
  bool features = false;   ///< fill MatchingDocuments::features
  /// Fill also their topics and, where Kindred must not write (index.read_only), the predicted tags
  /// of those without labels.
  bool predictions = false;
  Xapian::docid after = 0;            ///< only greater docids
  std::int64_t offset = 0;            ///< leave out this many of the first
  std::optional<std::int64_t> limit;  ///< at most this many documents; not set: all
  Pulse pulse = {};                   ///< of whoever asks, in the calling thread
};

struct MatchingDocuments : Origin {
  std::uint64_t found = 0;            ///< documents that match, including those left out
  std::vector<Xapian::docid> docids;  ///< ascending
  std::vector<StoredDocument> documents;
  std::vector<TermBag> features;  ///< terms as the index spells them, ascending
};

struct StoredDocuments : Origin {
  std::vector<StoredDocument> documents;
};

/// A word of a text, as an index with its settings has it.
struct AnalyzedWord {
  std::string word;                 ///< folded, a term without a prefix; "" if it is not indexed
  std::string term;                 ///< the feature, prefix included; "" if it is none
  std::uint32_t position = 0;       ///< 1-based place among the words of the text, gaps kept
  bool stop_word = false;           ///< it is no feature for that reason
  std::vector<std::string> joined;  ///< features of several words that end with this one
};

struct AnalyzedText {
  std::string language;  ///< by which it was analyzed: a code without region
  std::string prefix;    ///< of features: "Z" where the index has stems, else ""
  std::vector<AnalyzedWord> words;
};

/// How many documents have a label.
struct LabelCount {
  std::string name;
  std::uint64_t documents = 0;  ///< that people gave it to
  std::uint64_t predicted = 0;  ///< that have it as a predicted tag
  std::uint64_t rejected = 0;   ///< that must not get it
};

struct LabelCounts : Origin {
  std::vector<LabelCount> labels;  ///< in byte order
};

/// What an index has under a prefix of terms.
struct PrefixCount {
  std::string prefix;
  std::uint64_t terms = 0;        ///< distinct ones
  std::uint64_t documents = 0;    ///< that have one of them or more
  std::uint64_t postings = 0;     ///< pairs of a term and a document
  std::uint64_t occurrences = 0;  ///< of its terms in the documents; 0 for purely boolean terms
  std::uint64_t words = 0;        ///< terms whose value is a word: letters and digits alone
};

/// The mirror of an index, saved beside it.
struct SaveMirrorAnswer : Origin {
  std::string path;             ///< of the folder that has it
  std::uint64_t documents = 0;  ///< that it has
};

/// Which settings would read an index, as far as its terms tell.
struct SettingsGuess {
  std::string profile;  ///< of the program that made it, or "none"
  std::string toml;     ///< the settings; "" if it is read as it is
  /// Sentences on what its terms do not tell: "which terms are labels (labels.prefix): XA or XB".
  std::vector<std::string> unknown;
};

/// Called after each batch with the documents that are classified so far and all that will be. If
/// it returns false, the search is canceled.
using CandidatesProgress = std::function<bool(std::uint64_t classified, std::uint64_t all)>;

/// Which documents to look for.
struct CandidatesRequest : api::CandidatesRequest {
  CandidatesProgress on_progress;  ///< called in the calling thread. May be empty
  Pulse pulse = {};                ///< of whoever asks, in the calling thread
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
  std::vector<Voter> voters;           ///< the nearest, to which the reason refers
};

struct CandidateReport : Origin {
  std::uint64_t examined = 0;         ///< documents that match the filter and lack the label
  std::uint64_t found = 0;            ///< candidates, including those beyond the limit
  std::vector<Candidate> candidates;  ///< confidence descending, then docid ascending
};

/// A document whose labels and the vote differ in one label. The vote is the one that gives tags,
/// with the same voters (prototypes, the filter of the tuning), weights and confidences.
/// A tuned blend also compares with whole labels, so the voters shown may not explain all of it.
struct Suspect {
  std::string id;
  Xapian::docid docid = 0;
  std::string title;                ///< or its first words, see Engine::titles()
  std::vector<std::string> labels;  ///< that it has, in byte order
  Tag label;                        ///< that it lacks, or that it seems to have by mistake
  Tag rival;  ///< of a wrong label: one that it would be given, and that excludes it
  std::vector<Tag> proposed;              ///< that it would be given, as Classification::tags
  std::vector<TagReason> reasons;         ///< one for each of these tags, in their order
  std::vector<Voter> voters;              ///< the nearest, to which the reasons refer
  std::vector<std::string> voter_titles;  ///< of the voters, in their order
};

/// A part of the suspects.
struct SuspectList {
  std::uint64_t found = 0;        ///< in all
  std::uint64_t clear = 0;        ///< of these: the lacking label has a confidence of .95 or more
  std::vector<Suspect> suspects;  ///< the clearest first, then by docid
};

/// Called after each batch with the documents that are classified so far and all that will be. If
/// it returns false, the search is canceled.
using SuspectsProgress = std::function<bool(std::uint64_t classified, std::uint64_t all)>;

/// Which suspects to look for.
struct SuspectsRequest : api::SuspectsRequest {
  SuspectsProgress on_progress;  ///< called in the calling thread. May be empty
  Pulse pulse = {};              ///< of whoever asks, in the calling thread
};

struct SuspectReport : Origin {
  std::uint64_t examined = 0;  ///< documents that match the query and have a label
  SuspectList missing;         ///< labels that documents lack
  SuspectList wrong;           ///< labels that documents seem to have by mistake
};

/// Called after each batch, in the calling thread, with the documents whose nearest neighbor is
/// found so far and all that there are. If it returns false, the measurement is canceled.
using GeometryProgress = std::function<bool(std::uint64_t measured, std::uint64_t all)>;

/// Called after each batch with the documents that are compared so far and all that will be.
/// Documents with the same features are compared once, and so count once. If it returns false, the
/// search is canceled.
using DuplicateProgress = std::function<bool(std::uint64_t compared, std::uint64_t all)>;

/// Which near-duplicates to look for.
struct DuplicatesRequest : api::DuplicatesRequest {
  DuplicateProgress on_progress;  ///< called in the calling thread. May be empty
  Pulse pulse = {};               ///< of whoever asks, in the calling thread
};

/// A document of a group.
struct Duplicate {
  Xapian::docid docid = 0;
  std::string id;
  std::vector<std::string> labels;  ///< in byte order
};

/// Documents that a chain of near-duplicate pairs connects (single linkage). The two ends of a
/// chain may be less similar than the threshold.
struct DuplicateGroup {
  std::vector<Duplicate> documents;  ///< two or more, docid ascending
  float least = 0;                   ///< similarity, of all pairs that reach the threshold
  float greatest = 0;
};

/// The document that another one is most like.
struct NearDuplicate {
  Xapian::docid docid = 0;
  std::string id;
  float similarity = 0;  ///< cosine, in (0, 1]
};

struct DuplicateReport : Origin {
  std::uint64_t examined = 0;          ///< documents that match the filter
  std::uint64_t found = 0;             ///< groups, including those beyond the limit
  std::uint64_t grouped = 0;           ///< documents in them
  std::vector<DuplicateGroup> groups;  ///< largest first, then by their first docid
};

/// Where a document lies on the map. If none of its terms is on the map, it has no place: topic is
/// 0, novelty is 1, and unit and distance mean nothing.
struct TopicPlacement {
  std::uint32_t unit = 0;
  std::uint32_t topic = 0;  ///< from 1, or 0
  double distance = 0;      ///< to the unit, over all terms, in [0, about 1.4]
  /// Share of the map's own documents that are nearer, by angle, to their units than this one is to
  /// its unit, in [0, 1]. 1 if it shares no term with its unit.
  double novelty = 0;
  std::uint64_t revision = 0;  ///< of the index that the map was made of
};

}  // namespace kindred
