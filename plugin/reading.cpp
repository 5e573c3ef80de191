#include "plugin/reading.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "plugin/answer_names.h"
#include "plugin/classify/decision_rule.h"
#include "plugin/classify/label_search.h"
#include "plugin/documents/analyzed_text.h"
#include "plugin/documents/stem_words.h"
#include "plugin/index_state.h"
#include "plugin/mirror/reading/surveys.h"
#include "plugin/query/pulse_source.h"
#include "plugin/query/query_parser.h"
#include "plugin/related/document_groups.h"
#include "plugin/related/duplicate_search.h"
#include "plugin/related/related_search.h"
#include "plugin/search/search.h"
#include "plugin/snapshot/document_lists.h"
#include "plugin/store/database.h"
#include "plugin/store/database_walk.h"
#include "plugin/store/kept_files.h"
#include "plugin/vocabulary/meant_label.h"
#include "plugin/votes/votes.h"

namespace kindred {
namespace {

/// The documents that match a filter; null without a filter.
using Filtered = std::shared_ptr<const DocumentSet>;

/// The documents that the request allows to vote: those of its filter and, in the vote "prototype",
/// the prototypes among them.
Filtered voters_of(const Reading& reading, const ClassifyRequest& request) {
  const ClassifySettings& settings = reading.settings().classify;
  const DecisionRule rule = decision_rule(request, settings, reading.snapshot->voting());
  if (rule.vote != VoteKind::kPrototype) return reading.allowed(request.filter, request.pulse);

  Filtered prototypes = reading.database().matching(
      *reading.snapshot, prototypes_of(request, settings), request.pulse);
  if (request.filter.empty()) return prototypes;

  DocumentSet both = *prototypes;
  both &= *reading.allowed(request.filter, request.pulse);
  return std::make_shared<const DocumentSet>(std::move(both));
}

/// The voters where they lie on the map, made anew if there is another map.
std::shared_ptr<const UnitVoters> unit_voters_of(const Reading& reading) {
  const std::shared_ptr<const TopicMap> map = reading.topic_map();
  const auto is_good = [&](const UnitVoters& known) {
    return &known.map() == map.get();
  };
  return reading.index->unit_voters.get(reading.snapshot, is_good, [&] {
    return std::make_shared<const UnitVoters>(reading.mirror(), map,
                                              reading.snapshot->voting().threads());
  });
}

std::shared_ptr<const FewLabels> few_labels_of(const Reading& reading) {
  const auto is_good = [](const FewLabels&) {
    return true;
  };
  return reading.index->few_labels.get(reading.snapshot, is_good, [&] {
    return std::make_shared<const FewLabels>(*reading.snapshot,
                                             reading.snapshot->voting().voters());
  });
}

/// What the vote of the request needs.
VoteMeans means_of(const Reading& reading, const ClassifyRequest& request) {
  const DecisionRule rule =
      decision_rule(request, reading.settings().classify, reading.snapshot->voting());

  VoteMeans means;
  if (rule.vote == VoteKind::kUnit) means.units = unit_voters_of(reading);
  if (reading.hears_few(request)) means.few = few_labels_of(reading);
  const Tuning* tuning = nullptr;
  if (rule.vote == VoteKind::kBlend) tuning = reading.snapshot->voting().tuning().get();
  const bool hears_names = tuning != nullptr && tuning->combiner.uses_names();
  if (request.suggest || hears_names) means.terms = reading.term_mirror();
  if (tuning != nullptr && tuning->hierarchy.is_used()) means.hierarchy = reading.hierarchy();
  return means;
}

/// Where the suspects among all documents are kept, if the request asks for these, they are many,
/// and this process may write there. They depend on the documents, what was learned of them, names
/// and the settings.
std::optional<KeptSuspects> kept_suspects(const Reading& reading, const SuspectsRequest& request) {
  constexpr std::uint64_t kFewest = 1000;  // suspects among fewer documents are found at once

  const Mirror& mirror = reading.mirror();
  const Origin origin = reading.origin();
  const bool is_of_all = request.query.empty() && request.filter.empty();
  const bool has_one_revision = origin.revision > 0 && origin.shards == nullptr;
  if (!is_of_all || !has_one_revision || mirror.labeled.count() < kFewest) return std::nullopt;

  // A map may change while the index does not.
  const Settings& settings = reading.settings();
  const std::string& location = reading.database().location();
  const bool is_by_map = settings.classify.vote == vote_name(VoteKind::kUnit);
  if (is_by_map || reading.database().path().empty() || !can_write_beside(location))
    return std::nullopt;

  const Tuning* const tuning = reading.snapshot->voting().tuning().get();
  const NeighborLift* const lift = reading.snapshot->lift().get();
  const Vocabulary* const vocabulary = reading.snapshot->vocabulary().get();
  const std::string key =
      mirror.uuid + "\n" + std::to_string(origin.revision) + "\n" +
      (tuning != nullptr ? tuning->stamp : "") + "\n" + (lift != nullptr ? lift->stamp : "") +
      "\n" + (vocabulary != nullptr ? vocabulary->stamp() : "") + "\n" + settings_json(settings);
  return std::make_optional<KeptSuspects>(location, key, reading.index->log);
}

Classifier classifier_of(const Reading& reading, const ClassifyRequest& request) {
  return {*reading.snapshot, reading.settings().classify, means_of(reading, request)};
}

template <typename Item>
std::vector<Classification> classify_all(const Reading& reading, std::span<const Item> items,
                                         const ClassifyRequest& request) {
  ClassifyBatch batch(reading.database(), *reading.snapshot, means_of(reading, request));
  batch.add(items, request.pulse);
  return batch.classify(request, voters_of(reading, request).get());
}

/// Fills their topics, if there is a map.
void fill_topics(const Reading& reading, const Pulse& pulse,
                 std::vector<StoredDocument>& documents) {
  // A map of another index is told of once, and places nothing.
  std::shared_ptr<const TopicMap> map;
  IndexState& index = *reading.index;
  try {
    map = reading.topic_map();
  } catch (const Error& e) {
    if (e.code() == Errc::kCorrupt) throw;
    const bool is_of_another_index = e.code() != Errc::kNotFound;
    if (is_of_another_index && index.log && !index.has_told_of_map.exchange(true))
      index.log(e.what());
  }
  if (map == nullptr) return;

  for (StoredDocument& document : documents) {
    pulse();
    const std::uint32_t topic = reading.topic_of(Docid{document.docid}, *map).topic;
    if (topic > 0) document.topic = {topic, map->topics[topic - 1].name};
  }
}

/// Fills the predicted tags of documents without labels, where Kindred must not write them.
void predict_missing(const Reading& reading, const Pulse& pulse,
                     std::vector<StoredDocument>& documents) {
  if (!reading.settings().index.read_only || reading.mirror().labeled.count() == 0) return;

  std::vector<Example> examples;
  std::vector<StoredDocument*> without;
  for (StoredDocument& document : documents) {
    if (!document.labels.empty()) continue;
    examples.emplace_back(Docid{document.docid});
    without.push_back(&document);
  }

  ClassifyRequest request;
  request.pulse = pulse;
  const std::vector<Classification> found = reading.classify(examples, request);
  for (std::size_t i = 0; i < found.size(); ++i) without[i]->predicted = found[i].tags;
}

/// The names that related documents still lack, as the request wants them.
void add_names(const RelatedRequest& request, std::vector<api::RelatedDocument>& documents,
               const WordsByStem* own, AnswerNames& names) {
  for (api::RelatedDocument& document : documents) {
    if (request.titles) names.add(document.docid, document.title.emplace());
    if (document.terms) names.add(*document.terms, own);
    if (document.neighbor_terms) names.add(*document.neighbor_terms);
  }
}

/// The groups that a request asks for; nothing if each document is one find.
std::optional<DocumentGroups> groups_of(const Reading& reading,
                                        const std::optional<std::string>& asked,
                                        const DocumentSet* among = nullptr) {
  const std::string group = asked_group(asked, reading.settings().related.group);
  if (group.empty()) return std::nullopt;
  return std::make_optional<DocumentGroups>(reading.database(), *reading.snapshot, group, among);
}

/// The unique id of an example, if it has one.
std::optional<std::string> id_of(const Reading& reading, const Example& example) {
  if (const auto* id = std::get_if<UniqueId>(&example)) return id->value;
  if (const auto* docid = std::get_if<Docid>(&example)) return reading.id_of(docid->value);
  const std::string& id = std::get<Record>(example).id;
  return id.empty() ? std::nullopt : std::optional(id);
}

}  // namespace

Reading::Reading(const Engine& engine)
    : index(engine.impl_->index),
      snapshot(engine.impl_->pinned ? engine.impl_->pinned : index->current_snapshot.get()) {}

MirroredDatabase& Reading::database() const { return index->database; }

Filtered Reading::allowed(const std::string& filter, const Pulse& pulse) const {
  return filter.empty() ? nullptr : database().matching(*snapshot, filter, pulse);
}

RelatedResult Reading::related(const RelatedRequest& request) const {
  const Filtered among = allowed(request.filter, request.pulse);
  auto groups = groups_of(*this, request.group, among.get());
  RelatedResult result =
      find_related(context(), with_query_examples(database(), *snapshot, request), among.get(),
                   groups ? &*groups : nullptr);
  AnswerNames names;
  const WordsByStem* own = nullptr;
  if (request.explain) own = names.words_of(*this, request.like, request.pulse);
  add_names(request, result.results, own, names);
  names.fill(*this, request.pulse);
  return result;
}

std::vector<RelatedResult> Reading::related_each(std::span<const Xapian::docid> docids,
                                                 const RelatedRequest& request) const {
  const Filtered among = allowed(request.filter, request.pulse);
  auto groups = groups_of(*this, request.group, among.get());
  std::vector<RelatedResult> results =
      find_related_each(context(), docids, request, among.get(), groups ? &*groups : nullptr);
  AnswerNames names;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Example document = Docid{docids[i]};
    const WordsByStem* own = nullptr;
    if (request.explain) own = names.words_of(*this, {&document, 1}, request.pulse);
    add_names(request, results[i].results, own, names);
  }
  names.fill(*this, request.pulse);
  return results;
}

api::DuplicatesAnswer Reading::duplicates(const DuplicatesRequest& request) const {
  const Filtered among = allowed(request.filter, request.pulse);
  api::DuplicatesAnswer answer = find_duplicates(*snapshot, request, among.get());
  if (auto groups = groups_of(*this, request.group, among.get()))
    for (api::DuplicateGroup& group : answer.groups) groups->collapse(group.documents);

  AnswerNames names;
  for (api::DuplicateGroup& group : answer.groups) {
    for (api::Duplicate& document : group.documents) names.add(document.docid, document.title);
  }
  names.fill(*this, request.pulse);
  return answer;
}

std::vector<Xapian::docid> Reading::matching(const std::string& query,
                                             const std::string& term) const {
  const Filtered among = allowed(query);
  return database().with_term(*snapshot, term, among.get());
}

MatchingDocuments Reading::matching(const MatchingRequest& request) const {
  const Filtered among = allowed(request.query, request.pulse);
  MatchingDocuments found = list_matching(*snapshot, request, among.get());

  // What the list says of each document, as far as it is asked for.
  if (request.documents)
    found.documents = read_documents(database(), *snapshot, found.docids, request.pulse).documents;
  if (request.predictions) {
    fill_topics(*this, request.pulse, found.documents);
    predict_missing(*this, request.pulse, found.documents);
  }
  if (!request.features) return found;

  for (const Xapian::docid docid : found.docids) {
    request.pulse();
    found.features.push_back(example_features(context(), Docid{docid}));
  }
  return found;
}

api::DocumentsAnswer Reading::documents(const std::vector<Example>& examples,
                                        const Pulse& pulse) const {
  std::vector<Xapian::docid> docids;
  docids.reserve(examples.size());
  for (const Example& example : examples)
    docids.push_back(docid_of(*snapshot, example, settings().index));

  api::DocumentsAnswer stored = read_documents(database(), *snapshot, docids, pulse);
  fill_topics(*this, pulse, stored.documents);
  return stored;
}

std::vector<std::string> Reading::words(const std::vector<std::string>& terms,
                                        const Pulse& pulse) const {
  const auto read = [&](const Xapian::Database& opened) {
    return words_of_terms(opened, terms, mirror().prefixes, database().analyzers(),
                          snapshot->words(), pulse);
  };
  return database().read("cannot read its words", read, pulse);
}

api::SearchAnswer Reading::search(const api::SearchRequest& request, const Pulse& pulse) const {
  const SearchIndex searched{snapshot, settings(), database().analyzers(), index->facets, [this] {
                               return topic_map();
                             }};

  api::SearchAnswer answer;
  database().read_latest("cannot search", [&](const Xapian::Database& opened) {
    answer = where_sources_may(pulse, [&](const Pulse& matcher_pulse) {
      return kindred::search(searched, opened, request, pulse, matcher_pulse);
    });
    static_cast<Origin&>(answer) = {revision_of(opened)};
  });
  return answer;
}

ParsedQuery Reading::parse(const std::string& query, const QueryStyle& style) const {
  const auto analyzer = database().analyzers().lease_for_query(query);
  QueryStyle named = style;
  if (!named.label_of) {
    named.label_of = [&](const std::string& text) {
      return meant_label(text, mirror(), snapshot->vocabulary().get());
    };
  }
  return parse_query(query, mirror().prefixes, settings(), *analyzer, named);
}

api::AnalyzeAnswer Reading::analyze(const std::string& text, const std::string& language) const {
  api::AnalyzeAnswer answer =
      analyze_text(text, language, mirror().prefixes, database().analyzers());
  static_cast<Origin&>(answer) = origin();
  return answer;
}

std::string Reading::id_of(Xapian::docid docid) const {
  const std::string id = mirror().has(docid) ? mirror().id_of(docid) : std::string();
  return id.empty() ? std::to_string(docid) : id;
}

std::vector<std::string> Reading::labels() const {
  const LabelTable& labels = mirror().labels;
  std::vector<std::string> names;
  for (const std::uint32_t label : labels.order) names.emplace_back(labels.names[label]);
  return names;
}

std::string Reading::label_name(const std::string& label,
                                std::vector<std::string> languages) const {
  const Vocabulary* const vocabulary = snapshot->vocabulary().get();
  const auto term = vocabulary == nullptr ? std::nullopt : vocabulary->find(label);
  if (!term) return "";

  const std::vector<std::string>& usual = settings().vocabulary.languages;
  languages.insert(languages.end(), usual.begin(), usual.end());
  return std::string(vocabulary->name(*term, languages));
}

api::LabelsAnswer Reading::label_counts(const Pulse& pulse) const {
  return *database().label_counts(pulse);
}

std::vector<Classification> Reading::classify(std::span<const Example> examples,
                                              const ClassifyRequest& request) const {
  std::vector<Classification> results = classify_all(*this, examples, request);
  const bool has_voters = request.voters || request.explain;
  auto groups = groups_of(*this, has_voters ? request.group : "none");
  AnswerNames names;
  for (std::size_t i = 0; i < results.size(); ++i) {
    request.pulse();
    Classification& result = results[i];
    result.id = kindred::id_of(*this, examples[i]);
    if (const auto* docid = std::get_if<Docid>(&examples[i])) result.docid = docid->value;

    if (result.voters && groups) groups->collapse(*result.voters);
    if (result.voters && request.titles) names.add(*result.voters);
    if (!result.reasons) continue;
    names.add(*result.reasons, names.words_of(*this, examples.subspan(i, 1), request.pulse));
  }
  names.fill(*this, request.pulse);
  return results;
}

std::vector<Classification> Reading::classify(std::span<const AnalyzedRecord> records,
                                              const ClassifyRequest& request) const {
  return classify_all(*this, records, request);
}

std::vector<Classification> Reading::classify(std::span<const MirroredDocument> documents,
                                              const ClassifyRequest& request) const {
  return classify_all(*this, documents, request);
}

api::SuspectsAnswer Reading::suspects(const SuspectsRequest& request) const {
  ClassifyRequest voting;
  voting.filter = request.filter;
  voting.pulse = request.pulse;
  const Filtered voters = voters_of(*this, voting);
  const Filtered asked = allowed(request.query, request.pulse);
  const std::optional<KeptSuspects> kept = kept_suspects(*this, request);

  api::SuspectsAnswer answer =
      find_suspects(database(), *snapshot, classifier_of(*this, {}), request, asked.get(),
                    voters.get(), kept ? &*kept : nullptr);
  answer.tuning_unused = unused_tuning();

  AnswerNames names;
  for (api::SuspectList* list : {&answer.missing, &answer.wrong}) {
    for (api::Suspect& suspect : list->suspects) {
      names.add(suspect.docid, suspect.title);
      names.add(suspect.voters);
      const Example document = Docid{suspect.docid};
      names.add(suspect.reasons, names.words_of(*this, {&document, 1}, request.pulse));
    }
  }
  names.fill(*this, request.pulse);
  return answer;
}

api::CandidatesAnswer Reading::candidates(const CandidatesRequest& request) const {
  const Filtered among = allowed(request.filter, request.pulse);
  ClassifyRequest voting;
  voting.pulse = request.pulse;
  const Filtered voters = voters_of(*this, voting);

  api::CandidatesAnswer answer = find_candidates(database(), *snapshot, classifier_of(*this, {}),
                                                 request, among.get(), voters.get());
  answer.tuning_unused = unused_tuning();

  AnswerNames names;
  for (api::Candidate& candidate : answer.candidates) {
    if (candidate.voters && request.titles) names.add(*candidate.voters);
    if (!candidate.reason) continue;
    const Example document = Docid{candidate.docid};
    names.add(candidate.reason->terms, names.words_of(*this, {&document, 1}, request.pulse));
  }
  names.fill(*this, request.pulse);
  return answer;
}

void Reading::cross_validate(const CrossValidation& how, const ClassifyRequest& request,
                             const OnClassified& on_classified) const {
  const Filtered voters = voters_of(*this, request);
  classifier_of(*this, request).cross_validate(how, request, voters.get(), on_classified);
}

bool Reading::hears_few(const ClassifyRequest& request) const {
  const VotingModel& model = snapshot->voting();
  const VoteKind vote = decision_rule(request, settings().classify, model).vote;
  if (vote == VoteKind::kBlend) return model.tuning()->combiner.uses_few();
  return vote == VoteKind::kFew;
}

bool Reading::gives_shares(const ClassifyRequest& request) const {
  const ClassifySettings& classify = settings().classify;
  const VoteKind asked = vote_kind(request.vote.value_or(classify.vote));
  const VoteKind vote = decision_rule(request, classify, snapshot->voting()).vote;
  return asked == VoteKind::kAuto && vote == VoteKind::kSimilarity;
}

std::shared_ptr<const TermMirror> Reading::term_mirror() const {
  if (snapshot->vocabulary() == nullptr) return nullptr;
  const auto is_good = [](const TermMirror&) {
    return true;
  };
  return index->term_mirror.get(snapshot, is_good, [&] {
    return std::make_shared<const TermMirror>(
        *snapshot, settings().index, database().analyzers(),
        database().read("cannot read the languages", languages_of));
  });
}

std::shared_ptr<const LabelHierarchy> Reading::hierarchy() const {
  if (snapshot->vocabulary() == nullptr) return nullptr;
  const auto is_good = [](const LabelHierarchy&) {
    return true;
  };
  return index->hierarchy.get(snapshot, is_good, [&] {
    return std::make_shared<const LabelHierarchy>(*snapshot->vocabulary(), mirror().labels.names);
  });
}

bool Reading::needs_tuning() const {
  constexpr std::uint64_t kLeastVoters = 100;

  // Whoever has chosen how to vote is not tuned over.
  const ClassifySettings& classify = settings().classify;
  const ClassifySettings defaults;
  const bool is_chosen = classify.vote != defaults.vote ||
                         classify.neighbors != defaults.neighbors ||
                         classify.min_confidence != defaults.min_confidence;
  if (!classify.auto_tune || !classify.use_tuning || is_chosen || index->tuning_failed)
    return false;

  // A few voters, or one label, tell nothing.
  const std::uint64_t voters = mirror().labeled.count();
  if (voters < kLeastVoters || mirror().labels.order.size() < 2) return false;

  // The tuning that is used serves until its labels have become one, or, if nobody asked for it,
  // until it knows at most half of the voters.
  const Tuning* tuning = snapshot->voting().tuning().get();
  const bool has_grown = tuning != nullptr && tuning->automatic && voters >= 2 * tuning->voters;
  if (tuning != nullptr && !has_grown && !tuning->merged) return false;

  const std::string& location = database().location();
  return !database().path().empty() && can_write_beside(location) && !is_kept_untuned(location);
}

std::optional<std::string> Reading::unused_tuning() const {
  const std::string& why = snapshot->unused_tuning().why;
  return why.empty() ? std::nullopt : std::optional(why);
}

api::StatusAnswer Reading::status() const {
  api::StatusAnswer status;
  static_cast<Origin&>(status) = origin();
  status.documents = mirror().documents();
  status.terms = mirror().terms();
  if (snapshot->vocabulary()) status.vocabulary_terms = snapshot->vocabulary()->size();
  status.nonzeros = mirror().nonzeros();
  status.labels = mirror().labels.order.size();
  status.labeled = mirror().labeled.count();
  status.tagged = mirror().tags.tagged;
  status.pending = mirror().tags.pending;
  status.opted_out = mirror().tags.opted_out;
  status.rejected = mirror().tags.rejected;
  status.uuid = mirror().uuid;

  const BackendInfo info = snapshot->backend().info();
  status.backend = info.kind;
  status.device = info.device;
  status.bytes = snapshot->bytes();
  if (const auto voters = index->unit_voters.get_if_made(snapshot)) status.bytes += voters->bytes();
  if (const auto voters = index->few_labels.get_if_made(snapshot)) status.bytes += voters->bytes();
  if (const auto terms = index->term_mirror.get_if_made(snapshot)) status.bytes += terms->bytes();
  status.compute_capability = info.compute_capability;
  status.device_bytes = info.kind == "cpu" ? 0 : info.bytes;

  if (const auto tuning = snapshot->voting().tuning()) status.tuning = used_tuning(*tuning);
  status.tuning_due = needs_tuning();
  status.tuning_unused = snapshot->unused_tuning().why;

  const bool is_tuned = snapshot->voting().tuning() != nullptr;
  if (snapshot->lift()) status.lift_documents = snapshot->lift()->documents;
  status.related_by = is_tuned ? "tuning" : snapshot->lift() ? "lift" : "smart";

  status.profile = settings().index.profile;
  status.remembered = settings().remembered;

  const AnalysisRecord& analysis = index->analysis;
  status.analysis.recorded = index->analysis_recorded;
  status.analysis.rules.assign(analysis.rules.begin(), analysis.rules.end());
  status.analysis.versions.assign(analysis.versions.begin(), analysis.versions.end());
  status.analysis.other_versions = index->other_versions;
  return status;
}

std::vector<PrefixCount> Reading::prefixes(const Pulse& pulse) const {
  const auto survey = [&](const Xapian::Database& opened) {
    std::vector<Xapian::Database> shards;
    if (!database().path().empty()) shards = open_shards(database().path());
    if (shards.empty()) shards = {opened};
    return survey_prefixes(shards, mirror(), pulse);
  };
  return database().read("cannot read its prefixes", survey, pulse);
}

SettingsGuess Reading::guess_settings(const std::vector<PrefixCount>& prefixes) const {
  const auto guess = [&](const Xapian::Database& opened) {
    return kindred::guess_settings(opened, mirror(), prefixes, settings().index.profile);
  };
  return database().read("cannot read its prefixes", guess);
}

std::shared_ptr<const TopicMap> Reading::topic_map() const {
  return index->topics.get(database().kept());
}

TopicPlacement Reading::topic_of(const Example& example, const TopicMap& map) const {
  return map.place(example_features(context(), example));
}

PlacedDocuments Reading::placed_documents(std::span<const Xapian::docid> docids,
                                          const Pulse& pulse) const {
  std::vector<Xapian::docid> known(docids.begin(), docids.end());
  std::erase_if(known, [&](Xapian::docid docid) {
    return !mirror().has(docid);
  });

  PlacedDocuments placed;
  static_cast<Origin&>(placed) = origin();
  placed.map = topic_map();
  placed.documents =
      place_documents(mirror(), *placed.map, known, snapshot->voting().threads(), pulse);
  return placed;
}

std::vector<TopicDocument> Reading::describe(std::vector<TopicDocument> documents,
                                             const Pulse& pulse) const {
  std::erase_if(documents, [&](const auto& each) {
    return !mirror().has(each.docid);
  });
  std::vector<Xapian::docid> docids;
  for (const TopicDocument& document : documents) docids.push_back(document.docid);
  std::vector<std::string> titles = read_titles(database(), docids, pulse);

  for (std::size_t i = 0; i < documents.size(); ++i) {
    documents[i].id = mirror().id_of(docids[i]);
    documents[i].title = std::move(titles[i]);
  }
  return documents;
}

}  // namespace kindred
