#pragma once

#include <xapian.h>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/api.h"
#include "config/error.h"
#include "config/log.h"
#include "config/settings.h"
#include "plugin/answers.h"
#include "plugin/query/parsed_query.h"
#include "plugin/related/neighborhood.h"
#include "plugin/requests.h"

namespace kindred {

/// A database, mirrored and ready for questions. Queries may come from many threads at once; each
/// runs on the snapshot that was current when it began.
///
///     const Engine engine("wiki.db", Settings());
///     RelatedRequest request;
///     request.like = {UniqueId{"bread"}};
///     for (const api::RelatedDocument& found : engine.related(request).results)
///       std::cout << found.id << ' ' << found.similarity << '\n';
class KINDRED_API Engine {
 public:
  /// Opens the database at the path `database`, which may be anything that Xapian::Database opens,
  /// and mirrors it. The log gets a sentence for each file (tuning, map) that was made of the index
  /// and is not there any more, as after the index was compacted, and one if the index was analyzed
  /// with other versions of ICU, Snowball and so on than are here. `on_reading` is told how much of
  /// a large database is read, unless there is a saved mirror.
  /// @throws Error kNotFound, kCorrupt (it is damaged), kDatabase (also if a writer has committed
  /// too fast for 20 s), kInvalidArgument (settings), kUnsupported (backend).
  Engine(const std::string& database, const Settings& settings, Log log = {},
         ReadingProgress on_reading = {});

  /// Mirrors an open database, which may be in memory. The caller must not use `database` or its
  /// copies from another thread while an Engine call runs.
  Engine(const Xapian::Database& database, const Settings& settings, Log log = {});
  ~Engine();
  Engine(Engine&& other) noexcept;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// An engine of the same index that answers from the snapshot that is current now, and does so
  /// until it ends: for several answers that have to fit together. What changes the index, its
  /// files or the current snapshot does the same by either.
  Engine pinned() const;

  /// Of the snapshot that answers.
  Origin origin() const;

  /// Documents like the examples, or those that the queries of the request find, with their titles
  /// unless the request wants none: these and the words of terms are read from the index. If
  /// near-duplicates are folded, at most 16 limit + 1,000 documents are looked at, so there may be
  /// fewer results where more than that are folded. The first call for an index without a tuning
  /// may learn what terms weigh, and store that beside the index, if the settings allow it
  /// (weighting.lift); other calls go on meanwhile.
  /// @throws Error kInvalidArgument (no example, limit or like_top < 1, min_similarity or fold
  /// outside [0, 1], weights of an unknown name, a filter or query that does not parse); kNotFound
  /// for an unknown id or docid, and for a query of examples that matches no document.
  RelatedResult related(const RelatedRequest& request) const;

  /// Documents like each of these, one answer for each, in their order: much faster than one by
  /// one, unless near-duplicates are folded. The examples of the request are not looked at.
  /// @throws as related(); kNotFound for a docid that is not in the index.
  std::vector<RelatedResult> related_each(std::span<const Xapian::docid> docids,
                                          const RelatedRequest& request) const;

  /// The documents of related() without feedback as numbers, for a KnnSource
  /// (plugin/related/knn_source.h), which makes their similarities weights of any Xapian query.
  /// Documents that are folded are left out. Reads nothing from the database unless there is a
  /// filter or a query of examples.
  /// @throws as related().
  Neighborhood neighborhood(const RelatedRequest& request) const;

  /// Groups of documents that are near-duplicates of each other: the connected components of the
  /// pairs whose cosine by the first two letters of weighting.smart is at least the threshold. So
  /// documents of a group may be less similar if others lie between them (single linkage). Every
  /// such pair counts. Compares each document with all others, and reads the titles of those shown.
  /// @throws Error kInvalidArgument (threshold outside (0, 1], limit < 1, a filter that does not
  /// parse); kCanceled by on_progress; whatever on_progress throws.
  api::DuplicatesAnswer duplicates(const DuplicatesRequest& request = {}) const;

  /// Of documents that came into the index lately, in the order in which they came: for each the
  /// document that it is most like, among all others and those that came before it; by the smaller
  /// docid if several are. Nothing if that is less similar than the threshold, or if the snapshot
  /// does not have the document. If a docid is there twice, its last place counts, and the others
  /// get nothing. Similarities are those of duplicates().
  /// @throws Error kInvalidArgument (threshold outside (0, 1]).
  std::vector<std::optional<NearDuplicate>> near_duplicates(std::span<const Xapian::docid> arrived,
                                                            double threshold) const;

  /// The tags that the example deserves. A document of the index does not vote for itself. Tags
  /// that were taken off a document are withheld, and all tags are if it opted out. The same holds
  /// for a record with the id of a document. @throws as related().
  Classification classify(const Example& example, const ClassifyRequest& request = {}) const;

  /// Classifies many records in one batch, with one answer each: much faster than one by one.
  std::vector<Classification> classify(const std::vector<Record>& records,
                                       const ClassifyRequest& request = {}) const;

  /// The same, for examples of any kind. @throws Error kNotFound for an unknown id or docid.
  std::vector<Classification> classify(const std::vector<Example>& examples,
                                       const ClassifyRequest& request = {}) const;

  /// The words of a text, as this index would have them: by its settings, and in the language, or
  /// for "" in the one that a query is taken to be in. Where the index has no stems, features are
  /// the words themselves. Malformed UTF-8 is read as U+FFFD.
  api::AnalyzeAnswer analyze(const std::string& text, const std::string& language = "") const;

  /// A query of words, written as a filter, as a Xapian query of this index, for searches of the
  /// host. Its words are in the language that a query is taken to be in. Reads nothing from the
  /// database. @throws Error kInvalidArgument if it does not parse, or has no word and no field.
  ParsedQuery parse(const std::string& query, const QueryStyle& style = {}) const;

  /// The mirrored documents that match a query, written as a filter ("" matches all), and that have
  /// `term`, spelled as in the index, unless it is "". Ascending.
  /// @throws Error kInvalidArgument if the query does not parse.
  std::vector<Xapian::docid> matching(const std::string& query, const std::string& term = "") const;

  /// The same as a list that can be paged through, of one snapshot.
  /// @throws Error kInvalidArgument (offset < 0, limit < 1, a query that does not parse).
  MatchingDocuments matching(const MatchingRequest& request) const;

  /// What documents of the index hold about their tags now, and their topics, in the order of the
  /// examples. Of a document that was deleted since the last refresh: its labels and topic only.
  /// @throws Error kNotFound for an unknown id or docid; kInvalidArgument for a record.
  api::DocumentsAnswer documents(const std::vector<Example>& examples,
                                 const Pulse& pulse = {}) const;

  /// Ranked documents with snippets, facets and the query put right, of the database as it is now:
  /// also what the snapshot does not have yet. Facets may be a little older. Threads do not wait
  /// for each other, unless the caller opened the database.
  /// @throws Error kInvalidArgument for a query, a value or an order that is none; kNotFound for an
  /// unknown id; kCorrupt, kDatabase.
  api::SearchAnswer search(const api::SearchRequest& request, const Pulse& pulse = {}) const;

  /// How people write each of these features, spelled as in the index: of a stem, the most frequent
  /// of its words in the index. Looks at some hundreds of words for each, at most.
  std::vector<std::string> words(const std::vector<std::string>& terms,
                                 const Pulse& pulse = {}) const;

  /// The titles of documents, in the order of the docids; of one that has none, the first words of
  /// its text, as far as the index keeps it. "" for one that is gone.
  std::vector<std::string> titles(std::span<const Xapian::docid> docids,
                                  const Pulse& pulse = {}) const;

  /// The document with a unique id; index.id_scheme may precede it. Nothing if there is none.
  std::optional<Xapian::docid> docid_of(const std::string& id) const;

  /// The unique id of a document, or the docid in digits if it has none or is unknown.
  std::string id_of(Xapian::docid docid) const;

  /// Classifies every labeled document of the index by the others, and calls `on_classified` for
  /// each, in this thread and on one snapshot: in docid order, or fold after fold. Documents of the
  /// same fold do not vote. N, df and the vectors are those of the whole index.
  /// @throws Error as classify(), and kInvalidArgument if folds is 1 or below 0; whatever
  /// `on_classified` throws.
  void cross_validate(const CrossValidation& how, const ClassifyRequest& request,
                      const OnClassified& on_classified) const;

  /// How far the documents of each label are from each other and from those of other labels.
  /// `on_progress` counts the documents whose nearest neighbor is found.
  /// @throws Error kUnsupported for more than 8,192 labels; kCanceled by on_progress; whatever
  /// on_progress throws.
  api::GeometryAnswer class_geometry(const DocumentProgress& on_progress = {},
                                     const Pulse& pulse = {}) const;

  /// Labeled documents that lack a tag which the others would give them, and those whose label the
  /// others speak against.
  /// @throws Error as classify(), and kInvalidArgument if limit < 1 or offset < 0; kCanceled by
  /// on_progress; whatever on_progress throws.
  api::SuspectsAnswer suspects(const SuspectsRequest& request = {}) const;

  /// Documents that a label would suit: those that lack it, ranked by the confidence in it that
  /// classify() would give them. Documents that must not get the label or that opted out of
  /// predicted tags are left out, and so are those that it is predicted for already, unless the
  /// request wants them. A label of the setting classify.never can be asked for. Classifies all
  /// documents that lack the label.
  /// @throws Error kNotFound for a label that no document has (the text has the nearest names);
  /// kInvalidArgument (limit < 1, offset < 0, min_confidence outside [0, 1], a filter that does not
  /// parse); kCanceled by on_progress; as classify(); whatever on_progress throws.
  api::CandidatesAnswer candidates(const CandidatesRequest& request) const;

  /// Why the tuning that the index has is not used; "" if it is, or if there is none.
  std::string tuning_unused() const;

  /// True if the index has no tuning that fits it, though people tagged at least 100 documents,
  /// with two labels or more; if an automatic tuning was found on at most half of the documents
  /// that vote now; if tuning_unused() says why, or if labels of the tuning have become one. Never
  /// if the setting classify.auto_tune is off, if one of classify.vote, neighbors and
  /// min_confidence has not its default, for a database that the caller opened, where no file can
  /// be written beside it, or after a tuning was removed.
  bool needs_tuning() const;

  /// If needs_tuning(): tunes, but by the filter of the tuning that is used, stores the result
  /// beside the index, and answers by it from then on. False if it was not needed, and if it
  /// failed: the reason is logged, and it is not tried again. Queries go on meanwhile. To tune at
  /// other times, or with other values, ask the question "tune" (plugin/ask/ask.h).
  /// @throws Error kCanceled and whatever else on_tuning throws.
  bool tune_if_needed(const OnTuning& on_tuning = {});

  /// The labels that people gave, in byte order: those that may be predicted.
  std::vector<std::string> labels() const;

  /// What the vocabulary of the index calls a label: its name in the first of these languages, then
  /// those of vocabulary.languages, that it has one in, else its first one. "" if it has none. A
  /// language is such as "de" or "pt-BR".
  std::string label_name(const std::string& label,
                         const std::vector<std::string>& languages = {}) const;

  /// All labels of the index, also those that are only predicted or rejected, and how many
  /// documents have them. Read from the database. @throws Error kCorrupt, kDatabase.
  api::LabelsAnswer label_counts(const Pulse& pulse = {}) const;

  /// Where a document or a text lies on the map of the index, which the question "train_topics"
  /// makes. It is read at the first call, and again when its file has changed.
  /// @throws Error kNotFound if there is no map, or for an unknown id or docid; kCorrupt if the map
  /// is damaged; kInvalidArgument if it was made of another index.
  api::TopicPlace topic_of(const Example& example) const;

  /// Follows the database: if its revision has changed, builds a new snapshot beside the old one
  /// and swaps them. Running queries finish on the old snapshot. On failure the old one stays. True
  /// if there is a new snapshot.
  bool refresh();

  /// The same, by a writer that knows which documents it has added, replaced or deleted since the
  /// last refresh. Databases that tell themselves what changed are asked, as by refresh(); of
  /// others (a single file, remote, in memory) only these documents are read. If the database's
  /// counts say that one is missing, or if it has no term lists, everything is read.
  bool refresh(std::span<const Xapian::docid> changed);

  /// True if a refresh costs what the documents cost that changed: the database tells which they
  /// are.
  bool refreshes_in_proportion() const;

  /// Saves the mirror of the current snapshot beside the index. Every Engine that opens the index
  /// from then on reads that file, and of the index only what has changed since. A file that is
  /// damaged or does not fit is reported to the log, and not used.
  /// @throws Error kUnsupported if changes of this database cannot be followed (it is not a glass
  /// database in a folder); kDatabase if the file cannot be written.
  api::SaveMirrorAnswer save_mirror() const;

  /// What `kindred status` shows, but for prefixes, dictionaries and guess.
  api::StatusAnswer status() const;

  /// What the index has under which prefix, in byte order, stems excepted. Reads the lists of all
  /// these terms. @throws Error kCorrupt, kDatabase.
  std::vector<PrefixCount> prefixes(const Pulse& pulse = {}) const;

  /// Which settings would read the index, by what prefixes() found in it; for one of a known
  /// program, its profile. @throws Error kCorrupt, kDatabase.
  SettingsGuess guess_settings(const std::vector<PrefixCount>& prefixes) const;

  /// The settings in force: those that were given and, below them, those of the index's profile,
  /// whose name is index.profile.
  const Settings& settings() const;

  /// Beside which its files are, such as tuning and map: path(), or a path in the folder
  /// index.directory. "" for a database that the caller opened.
  const std::string& location() const;

  const std::string& path() const;  ///< "" for a database that the caller opened

 private:
  friend struct Reading;  // plugin/reading.h: what the inside of the library reads of an engine
  struct Impl;

  explicit Engine(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace kindred
