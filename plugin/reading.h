#pragma once

#include <xapian.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/api.h"
#include "config/settings.h"
#include "gpu/document_set.h"
#include "plugin/answers.h"
#include "plugin/classify/classify_batch.h"
#include "plugin/engine.h"
#include "plugin/related/document_groups.h"
#include "plugin/requests.h"
#include "plugin/snapshot/example_query.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/topics/document_placer.h"
#include "plugin/topics/topic_map.h"

namespace kindred {

struct IndexState;

/// What one question reads of an index: one snapshot, whatever is committed meanwhile, and the
/// database, settings and analyzers behind it. It is what the questions (plugin/ask/) and the
/// writers (plugin/writing/) take of an engine, to call what answers in the other folders; an
/// Engine is the same for hosts, by types that are installed. Here are the steps that several of
/// them share. It may be copied, and any number of threads may use it.
struct Reading {
  /// The snapshot that is current now, or the one that the engine is pinned to. An engine is good
  /// wherever a reading is asked for.
  KINDRED_API Reading(const Engine& engine);  // NOLINT(google-explicit-constructor)

  std::shared_ptr<IndexState> index;
  std::shared_ptr<const Snapshot> snapshot;

  MirroredDatabase& database() const;
  const Settings& settings() const { return database().settings(); }
  const Mirror& mirror() const { return snapshot->mirror(); }
  Origin origin() const { return mirror().origin(); }

  /// To turn examples into queries.
  ExampleContext context() const { return {*snapshot, settings(), database().analyzers()}; }

  /// The documents that match a filter; null for "": all.
  using Filtered = std::shared_ptr<const DocumentSet>;
  /// @throws Error kInvalidArgument if it does not parse.
  Filtered allowed(const std::string& filter, const Pulse& pulse = {}) const;

  /// The groups that a request asks for; null if each document is one find. `among`: as for
  /// DocumentGroups.
  std::unique_ptr<DocumentGroups> groups_of(const std::optional<std::string>& asked,
                                            const DocumentSet* among = nullptr) const;

  // These are as the methods of Engine.
  RelatedResult related(const RelatedRequest& request) const;
  std::vector<RelatedResult> related_each(std::span<const Xapian::docid> docids,
                                          const RelatedRequest& request) const;
  api::DuplicatesAnswer duplicates(const DuplicatesRequest& request) const;
  std::vector<Xapian::docid> matching(const std::string& query, const std::string& term = "") const;
  MatchingDocuments matching(const MatchingRequest& request) const;
  api::DocumentsAnswer documents(const std::vector<Example>& examples, const Pulse& pulse) const;
  std::vector<std::string> words(const std::vector<std::string>& terms, const Pulse& pulse) const;
  api::SearchAnswer search(const api::SearchRequest& request, const Pulse& pulse) const;
  ParsedQuery parse(const std::string& query, const QueryStyle& style) const;
  api::AnalyzeAnswer analyze(const std::string& text, const std::string& language) const;
  std::string id_of(Xapian::docid docid) const;
  std::vector<std::string> labels() const;
  std::string label_name(const std::string& label, std::vector<std::string> languages) const;
  api::LabelsAnswer label_counts(const Pulse& pulse) const;
  api::SuspectsAnswer suspects(const SuspectsRequest& request) const;
  api::CandidatesAnswer candidates(const CandidatesRequest& request) const;
  void cross_validate(const CrossValidation& how, const ClassifyRequest& request,
                      const OnClassified& on_classified) const;
  /// True if the vote of this request hears few voters (plugin/related/few_labels.h).
  /// @throws Error as decision_rule().
  bool hears_few(const ClassifyRequest& request) const;
  /// True if a confidence is the share of a plain vote, as nothing was tuned or asked for. Throws
  /// the same.
  bool gives_shares(const ClassifyRequest& request) const;
  bool needs_tuning() const;
  /// The terms of the vocabulary as a mirror; null if there is no vocabulary.
  std::shared_ptr<const TermMirror> term_mirror() const;
  /// Which labels are broader than others; null if there is no vocabulary.
  std::shared_ptr<const LabelHierarchy> hierarchy() const;
  api::StatusAnswer status() const;
  std::vector<PrefixCount> prefixes(const Pulse& pulse) const;
  SettingsGuess guess_settings(const std::vector<PrefixCount>& prefixes) const;

  /// Why the tuning that the index has is not used, if it is not.
  std::optional<std::string> unused_tuning() const;

  /// One classification for each item, in one batch. Of examples, also with their ids.
  /// @throws Error kNotFound for an unknown id, or a docid that the mirror does not have.
  std::vector<Classification> classify(std::span<const Example> examples,
                                       const ClassifyRequest& request) const;
  std::vector<Classification> classify(std::span<const AnalyzedRecord> records,
                                       const ClassifyRequest& request) const;
  std::vector<Classification> classify(std::span<const MirroredDocument> documents,
                                       const ClassifyRequest& request) const;

  /// The map of the index. It is read at the first call, and again when its file has changed.
  /// @throws Error kNotFound if there is none; kCorrupt if it is damaged; kInvalidArgument if it
  /// was made of another index.
  KINDRED_API std::shared_ptr<const TopicMap> topic_map() const;

  /// Where a document or a text lies on a map, which may not be the current one any more.
  /// @throws Error kNotFound for an unknown id or docid.
  TopicPlacement topic_of(const Example& example, const TopicMap& map) const;

  /// Where documents lie, with the map. `docids` ascend; those that are not mirrored are left out.
  /// Errors as topic_map().
  KINDRED_API PlacedDocuments placed_documents(std::span<const Xapian::docid> docids,
                                               const Pulse& pulse = {}) const;

  /// The documents of a topic or a unit as the index has them now, with ids and titles; those that
  /// are gone are left out.
  KINDRED_API std::vector<TopicDocument> describe(std::vector<TopicDocument> documents,
                                                  const Pulse& pulse = {}) const;
};

}  // namespace kindred
